-- SPDX-License-Identifier: BSD-2-Clause
-- Which groups of threads, on which host, take more time under the label {new} than under {base}.
--
-- The unit is the capture: one value of each capture, in ms per second, as a logarithm. A row is shown where
-- both labels have at least {least} captures of that host with the group in it, at least 100 of the things that
-- are timed, a change of at least 10% and 2 ms per second, and a distance of at least 4 standard errors, of which
-- each side has no fewer than 5% a capture. Change comes first, worst on top.
SELECT
    host, process, thread, metric,
    round(exp(base_log) - 1, 2) AS base_ms_per_s,
    round(exp(new_log) - 1, 2) AS new_ms_per_s,
    round(exp(new_log - base_log), 3) AS ratio,
    round((new_log - base_log) / error, 1) AS errors_apart,
    base_captures, new_captures, base_count, new_count
FROM
(
    SELECT
        host, process, thread, metric,
        countIf(label = {base}) AS base_captures,
        countIf(label = {new}) AS new_captures,
        sumIf(seen, label = {base}) AS base_count,
        sumIf(seen, label = {new}) AS new_count,
        avgIf(value, label = {base}) AS base_log,
        avgIf(value, label = {new}) AS new_log,
        sqrt((varSampIf(value, label = {base}) + 0.0025) / base_captures
           + (varSampIf(value, label = {new}) + 0.0025) / new_captures) AS error
    FROM
    (
        SELECT host, process, thread, metric, label, capture,
               sum(count) AS seen,
               log(1000 * sum(ns) / max(capture_ns) + 1) AS value
        FROM {database}.totals
        WHERE label IN ({base}, {new})
          AND metric IN ('cpu_time', 'wakeup_latency', 'preempted_wait', 'blocked')
        GROUP BY host, process, thread, metric, label, capture
    )
    GROUP BY host, process, thread, metric
)
WHERE base_captures >= {least} AND new_captures >= {least}
  AND base_count + new_count >= 100
  AND new_log - base_log >= log(1.1)
  AND new_log - base_log >= 4 * error
  AND exp(new_log) - exp(base_log) >= 2
ORDER BY exp(new_log) - exp(base_log) DESC
LIMIT 50
