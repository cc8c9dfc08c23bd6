// SPDX-License-Identifier: BSD-2-Clause
#include "compare/verdicts.h"

#include <cmath>

namespace comparison {
namespace {

// Who is busy for less than half of the time holds nobody up by what a wakeup costs: what is more
// work for it shows as more CPU time.
constexpr double kSpare = 500;  // ms per second

// CPU time that follows the wakeups is work, not its price.
Verdict JudgeCpu(const Row& row, const GroupChange& group) {
  const double effect = std::log(kLeastChange);
  const double cpu = group.change[static_cast<size_t>(Statistic::kCpuRate)];
  const double wakeups = group.change[static_cast<size_t>(Statistic::kWakeupRate)];
  if (row.statistic == Statistic::kCpuPerWakeup) {
    // Who has time to spare and needs as much of it as before has more or less to do at a time.
    if (std::abs(cpu) < effect && group.busy < kSpare) return Verdict::kUnchanged;
    // When fewer wakeups bring the same work (it comes in larger batches), each costs more.
    if (row.change > 0) return cpu > -effect ? Verdict::kWorse : Verdict::kUnchanged;
    // Nor is it cheaper where it is woken for less work than before by those who set the pace, and
    // by others in between who bring none.
    const double each = std::log(row.ratio.value);
    if (group.requests / each >= kExplained || group.turns / each >= kExplained) {
      return cpu < -effect ? Verdict::kLess : Verdict::kUnchanged;
    }
    return cpu < effect ? Verdict::kBetter : Verdict::kUnchanged;
  }
  const double explained = wakeups / cpu;
  if (row.change > 0) {
    return explained >= kExplained && explained <= 1 / kExplained ? Verdict::kMore
                                                                  : Verdict::kWorse;
  }
  // It may have become cheaper only where as much is done as before: it is woken as often, and as
  // often by each of those who may set the pace.
  const bool as_much = std::abs(explained) <= kExplained && group.requests / cpu <= kExplained &&
                       group.turns / cpu <= kExplained;
  return as_much ? Verdict::kBetter : Verdict::kLess;
}

}  // namespace

Verdict Judge(const Row& row, const GroupChange& group) {
  const auto of = [&](Statistic statistic) { return group.change[static_cast<size_t>(statistic)]; };
  const double cpu = of(Statistic::kCpuRate);
  const bool up = row.change > 0;
  if (group.added) return Verdict::kNew;
  if (group.removed) return Verdict::kGone;
  switch (row.metric) {
    case Metric::kCpuTime:
      return JudgeCpu(row, group);
    case Metric::kSwitches:
    case Metric::kWakeups:
    case Metric::kMigrations:
    case Metric::kForks: {
      if (!up) return Verdict::kLess;
      // To be preempted more often, and to wait no longer for that, is no harm.
      if (row.metric == Metric::kSwitches && !group.waits_more &&
          group.forced >= (row.next.value - row.base.value) * kExplained) {
        return Verdict::kUnchanged;
      }
      const double rate = std::log(row.ratio.value);
      return cpu < rate * kExplained && cpu > -std::log(kLeastChange) ? Verdict::kWorse
                                                                      : Verdict::kMore;
    }
    case Metric::kMachine:
      return Verdict::kUnchanged;
    default:
      return up ? Verdict::kWorse : Verdict::kBetter;
  }
}

}  // namespace comparison
