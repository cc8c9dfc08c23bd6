// SPDX-License-Identifier: BSD-2-Clause
// What a statistic says of a group in one capture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/values/frame.h"
#include "compare/values/groups.h"
#include "compare/values/metric.h"

namespace comparison {

struct Observation {
  double value = 0;  // in the unit of the statistic
  // What is tested: the value, or two ways to look at it that both have to have changed.
  std::array<double, 2> tested{};
  unsigned tests = 1;
  // What chance alone adds to the variance of the logarithm, because so few events are in it.
  double chance = 0;
  double ms = 0;      // per second, of the time that it is about
  double events = 0;  // per second, of what `value` is a mean of
  // Of waits for a CPU: of those, ms per second, what groups that are not judged held it.
  double foreign = 0;
  // And how many threads of those ran or waited for a CPU at a time.
  double foreign_demand = 0;
  // Of sleep: the time asleep, ms per second of the capture itself and not of a run, and wakeups.
  // Of waits for a CPU together: those that are not in `ms`.
  double share = 0;
  double wakeups = 0;
  double timer = 0;   // of the share, ended by a timer or a device
  double pauses = 0;  // how many of those there are, per second
  double pause = 0;   // how long one is, ms
  double threads = 1;
  // Values are per run: who has nothing to do sleeps longer in a longer run.
  bool per_run = false;

  static Observation Of(double value) {
    Observation made;
    made.value = value;
    made.tested = {value, value};
    made.ms = value;
    return made;
  }
};
// By capture; nothing where there is nothing to take a mean of.
using Observations = std::vector<std::optional<Observation>>;

// Lengths above which sleeps are counted: quantiles of the sleeps of all captures, each capture
// with the same weight.
struct SleepThresholds {
  uint64_t quarter = 0;  // three quarters are longer
  uint64_t half = 0;
  uint64_t tenth = 0;
  uint64_t hundredth = 0;

  // The one that a statistic of sleep is about.
  uint64_t Of(Statistic statistic) const {
    if (statistic == Statistic::kSleepExcessMost) return quarter;
    if (statistic == Statistic::kSleepExcessTenth) return tenth;
    return statistic == Statistic::kSleepExcessHundredth ? hundredth : half;
  }
};
SleepThresholds SleepThresholdsOf(const Groups& groups, const SharedGroup& group,
                                  const Frame& frame);

// What ForeignWaits() says of a group, and ForeignDemand(); or nothing.
struct Foreign {
  std::span<const uint64_t> waits;
  std::span<const double> demand;
};

// Of any statistic but those of system calls, handlers, elapsed and machine.
Observations Observe(const Groups& groups, const SharedGroup& group, Statistic statistic,
                     const SleepThresholds& thresholds, const Frame& frame,
                     const Foreign& foreign = {});
// Of the calls of a name by a group.
Observations ObserveSyscall(const Groups& groups, const SharedGroup& group, const std::string& name,
                            const Frame& frame);
// Of a handler of interrupts, on the whole machine.
Observations ObserveHandler(Captures captures, const std::string& name, const Frame& frame);
// Of the command and of the machine.
Observations ObserveElapsed(Captures captures);
Observations ObserveLoad(Captures captures);

}  // namespace comparison
