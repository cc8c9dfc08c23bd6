-- SPDX-License-Identifier: BSD-2-Clause
-- On each server, once a day: rows of loads that a later one replaced, or that were given up two days ago. They
-- are in no answer; this gives their room back. {table} is each table in turn, {rows} is _rows on a server alone
-- and _local on each one of several.
ALTER TABLE {database}.{table}{rows} DELETE WHERE load < toUInt64(toUnixTimestamp(now()) - 2 * 86400) * 1000000000
  AND block NOT IN (SELECT arrayJoin(argMax(blocks, load)) FROM {database}.loads{rows} WHERE complete = 1
                    AND table = '{table}' GROUP BY host, capture)
