-- SPDX-License-Identifier: BSD-2-Clause
-- Quantiles of a time, of each process on all hosts together, under both labels: histograms add up exactly, so
-- this is what one histogram of all captures would give, to 0.8%. Fewer than 2,000 values give no p99.
SELECT
    process, label,
    uniqExact(host) AS hosts,
    uniqExact(capture) AS captures,
    sum(count) AS times,
    quantileExactWeighted(0.5)(intDiv(least_ns + most_ns, 2), count) AS p50_ns,
    if(times >= 2000, quantileExactWeighted(0.99)(intDiv(least_ns + most_ns, 2), count), 0) AS p99_ns
FROM {database}.histograms
WHERE metric = 'wakeup_latency' AND label IN ({base}, {new})
GROUP BY process, label
HAVING times >= 100
ORDER BY process, label
