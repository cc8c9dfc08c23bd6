-- SPDX-License-Identifier: BSD-2-Clause
-- Which groups of threads, on which host, take more time under the label {new} than under {base}.
--
-- The unit is the capture: one value of each, the logarithm of ms per second, 0 where the group did nothing. The
-- noise of a group is that between captures of the host with the same label; what other hosts have of it counts for
-- up to eight captures more, and it is never taken to be less than 5%. From it comes p (Student's t, by way of
-- Wallace's approximation), and q from all groups that were looked at (Benjamini and Hochberg).
--
-- A row is shown where both labels have at least {least} captures of that host, with at least 100 of the things that
-- are timed, the change is at least 10% and 2 ms per second, and q at most 5%. The largest change is on top.
SELECT
    row.2 AS host, row.3 AS process, row.4 AS thread, row.5 AS metric,
    round(exp(row.6) - 1, 2) AS base_ms_per_s,
    round(exp(row.7) - 1, 2) AS new_ms_per_s,
    round(exp(row.7 - row.6), 3) AS ratio,
    row.1 * looked_at / rank AS q,
    row.8 AS base_captures, row.9 AS new_captures, row.10 AS base_count, row.11 AS new_count
FROM
(
    SELECT
        looked_at,
        arrayReduce('max', arrayMap((one, at) -> if(one.1 * looked_at <= 0.05 * at, at, 0), sorted,
                                    arrayEnumerate(sorted))) AS last,
        arraySlice(sorted, 1, last) AS shown
    FROM
    (
        SELECT
            count() AS looked_at,
            arraySort(one -> one.1, groupArrayIf(
                (p, of_host, process, thread, metric, base_log, new_log, base_n, new_n, base_seen, new_seen),
                new_log - base_log >= log(1.1) AND exp(new_log) - exp(base_log) >= 2)) AS sorted
        FROM
        (
            SELECT
                process, thread, metric,
                one.1 AS of_host, one.2 AS base_log, one.3 AS new_log,
                one.4 AS base_n, one.5 AS new_n, one.6 AS base_seen, one.7 AS new_seen,
                one.8 AS squares, base_n + new_n - 2 AS freedom,
                least(all_freedom - freedom, 8) AS lent,
                lent + freedom AS whole_freedom,
                (lent * if(lent > 0, (all_squares - squares) / (all_freedom - freedom), 0) + squares) / whole_freedom
                    + 0.0025 AS noise,
                (new_log - base_log) / sqrt(noise * (1 / base_n + 1 / new_n)) AS t,
                (8 * whole_freedom + 1) / (8 * whole_freedom + 3) * sqrt(whole_freedom * log(1 + t * t / whole_freedom))
                    AS z,
                if(t > 0, erfc(z / sqrt(2)) / 2, 1) AS p
            FROM
            (
                SELECT
                    process, thread, metric,
                    sum(within) AS all_squares,
                    sum(base_all + new_all - 2) AS all_freedom,
                    groupArray((host, base_sum / base_all, new_sum / new_all, base_all, new_all, base_times, new_times,
                                within)) AS hosts
                FROM
                (
                    SELECT
                        host, process, thread, metric, base_all, new_all,
                        sumIf(value, label = {base}) AS base_sum,
                        sumIf(value, label = {new}) AS new_sum,
                        sumIf(seen, label = {base}) AS base_times,
                        sumIf(seen, label = {new}) AS new_times,
                        greatest(sum(value * value) - base_sum * base_sum / base_all - new_sum * new_sum / new_all, 0)
                            AS within
                    FROM
                    (
                        SELECT host, process, thread, metric, label, capture,
                               sum(count) AS seen,
                               log(1 + 1000 * sum(ns) / max(capture_ns)) AS value
                        FROM {database}.totals
                        WHERE label IN ({base}, {new})
                          AND metric IN ('cpu_time', 'wakeup_latency', 'preempted_wait', 'blocked')
                        GROUP BY host, process, thread, metric, label, capture
                    )
                    ANY INNER JOIN
                    (
                        SELECT host,
                               uniqExactIf(capture, label = {base}) AS base_all,
                               uniqExactIf(capture, label = {new}) AS new_all
                        FROM {database}.totals
                        WHERE label IN ({base}, {new})
                        GROUP BY host
                        HAVING base_all >= greatest({least}, 2) AND new_all >= greatest({least}, 2)
                    )
                    USING host
                    GROUP BY host, process, thread, metric, base_all, new_all
                    HAVING base_times + new_times >= 100
                       AND base_sum + new_sum >= log(3) / 2 * (base_all + new_all)
                )
                GROUP BY process, thread, metric
            )
            ARRAY JOIN hosts AS one
        )
    )
)
ARRAY JOIN shown AS row, arrayEnumerate(shown) AS rank
ORDER BY exp(row.7) - exp(row.6) DESC
LIMIT 50
