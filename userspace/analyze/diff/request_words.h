// SPDX-License-Identifier: BSD-2-Clause
// Texts for what changed in the critical paths of requests.
#pragma once

#include <string>
#include <vector>

#include "compare/diff_report.h"

namespace analyze {

// The activity of the thread of a part: "waits for expiry (futex), which runs", "is blocked in
// fsync (wal.log)". All text is as a terminal shows it.
std::string PartWords(const measure::PathPart& part);

// The text of a row of requests: "takes 12.3 ms longer (4.10 → 16.4 ms at p50): 11.9 ms of it waits
// for expiry (futex), which runs".
std::string RequestClause(const comparison::DiffReport& report,
                          const comparison::ComparisonRow& row);

// The parts that explain such a row, largest first: "waits for expiry (futex), which runs: 0.20 →
// 11.9 ms a request".
std::vector<std::string> PartChangeWords(const comparison::RequestChange& request,
                                         const comparison::ComparisonRow& row);

// A pattern for --span that matches the requests of that name.
std::string SpanPatternOf(const std::string& name);

}  // namespace analyze
