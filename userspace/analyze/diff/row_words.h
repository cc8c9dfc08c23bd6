// SPDX-License-Identifier: BSD-2-Clause
// Rows of a comparison in words, for terminals and pages.
#pragma once

#include <string>
#include <vector>

#include "compare/diff_report.h"

namespace analyze {

// Clean text (text/clean_text.h): "postgres/checkpointer", and of processes whose only thread has
// their name that name. "the command" and "the machine" for what is of no group.
std::string GroupWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row);
std::string GroupWords(const comparison::DiffReport& report, size_t group);

// "wakeup latency, mean"; with the name of the system call or handler.
std::string MetricWords(const comparison::ComparisonRow& row);

// "12.3 ms/s", "410 us", "3.2 s", "17/s".
std::string ValueWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row,
                       double value);
// "+41.2 ms/s"; per run of the command where rates are.
std::string ChangeWords(const comparison::DiffReport& report, const comparison::ComparisonRow& row);
// "x4.02", "-12%", "+35%"; "from nothing", "to nothing".
std::string RatioWords(const comparison::ComparisonRow& row, double ratio);
// With its interval: "x4.02 [x3.11 .. x5.20]"; where one side has nothing there is none.
std::string RatioIntervalWords(const comparison::ComparisonRow& row);

// A link each: "waited 41 ms/s more for app/writer", "kworker had 39 ms/s more CPU time", ...;
// empty where nobody is to blame.
std::vector<std::string> CauseWords(const comparison::DiffReport& report,
                                    const comparison::ComparisonRow& row);

// "5 captures of 3.0 s against 5 of 3.0 s, in turns".
std::string SidesWords(const comparison::DiffReport& report);

// The rows to show, in rank order: findings, or where there are too few captures what is not
// confirmed.
const std::vector<size_t>& Ranked(const comparison::DiffReport& report);

// What is said when nothing is found.
std::string NothingWords(const comparison::DiffReport& report);

}  // namespace analyze
