// SPDX-License-Identifier: BSD-2-Clause
// The amount of a change in ms per second, as a table of rules.
#pragma once

#include <optional>
#include <span>

#include "compare/side_summary.h"
#include "compare/values/metric.h"

namespace comparison {

// No smaller change is looked for: 10%.
inline constexpr double kLeastChange = 1.1;

// ChangeOf() tries the rules in their order and takes the first amount.
struct ChangeRule {
  const char* name;
  const char* reason;
  double constant;  // a part or a ratio; 0: not used
  std::optional<double> (*change)(const StatisticInfo& info, const SideSummary& base,
                                  const SideSummary& next, double constant);
};

std::span<const ChangeRule> ChangeRules();

// New less base, ms per second. 0 where the difference is not one of what the metric measures:
// shorter runs, other threads, less work.
double ChangeOf(const StatisticInfo& info, const SideSummary& base, const SideSummary& next);

// The part of a change of waits for a CPU that came with other work of the machine, ms per second:
// what groups out of scope held the CPU for, as far as there is more of their work. It grows with
// the square of that work, for a thread waits for all threads in its queue. Without more such work
// it is the group that is worse off beside it: pinned, throttled, or of less weight. Of a shorter
// wait it is all that they held.
double OutOfScopeChange(const SideSummary& base, const SideSummary& next);

// The upper bound of a change of the statistic, ms per second. Below the gate it is not tested.
double LargestChange(const StatisticInfo& info, const SideSummary& base, const SideSummary& next);

}  // namespace comparison
