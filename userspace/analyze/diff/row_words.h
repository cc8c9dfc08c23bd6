// SPDX-License-Identifier: BSD-2-Clause
// Texts for rows of a comparison.
#pragma once

#include <string>
#include <vector>

#include "compare/diff_report.h"

namespace analyze {

// Three significant digits.
std::string NumberWords(double value);

// Clean text (text/clean_text.h): "postgres/checkpointer", or one name if both are equal. "the
// command" and "the machine" for rows without a group.
std::string GroupWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row);
std::string GroupWords(const comparison::DiffReport& report, size_t group);

// "wakeup latency, mean", and the name of the system call or handler.
std::string MetricWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row);

// "12.3 ms/s", "410 us", "3.2 s", "17/s".
std::string ValueWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row,
                       double value);
// "+41.2 ms/s", or per run of the command.
std::string ChangeWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row);
// "x4.02", "-12%", "+35%"; "from nothing", "to nothing".
std::string RatioWords(const comparison::ComparisonRow& row, double ratio);
// With its interval: "x4.02 [x3.11 .. x5.20]". Without one if a side has nothing.
std::string RatioIntervalWords(const comparison::ComparisonRow& row);

// A text for each link: "waited 41 ms/s more for app/writer", "kworker had 39 ms/s more CPU time".
// Empty without causes.
std::vector<std::string> CauseWords(const comparison::DiffReport& report,
                                    const comparison::ComparisonRow& row);

// "in fdatasync (appendonly.aof)": what the row's sleeps were for. Empty if that is not known.
std::string ObjectWords(const comparison::ComparisonRow& row);

// "is throttled 2500 ms/run: its cgroup /x may use 30 ms of each 100 ms (was: not
// throttled)". Empty for rows of other metrics.
std::string LimitChangeWords(const comparison::DiffReport& report,
                             const comparison::ComparisonRow& row);
// "5 captures of 3.0 s against 5 of 3.0 s, interleaved".
std::string SidesWords(const comparison::DiffReport& report);

// The rows to show, in rank order: findings, or unconfirmed rows with too few captures.
const std::vector<size_t>& Ranked(const comparison::DiffReport& report);

// The text for a comparison without findings.
std::string NothingWords(const comparison::DiffReport& report);

}  // namespace analyze
