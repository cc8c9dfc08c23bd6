// SPDX-License-Identifier: BSD-2-Clause
// The value of a statistic of a group in one capture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compare/values/groups.h"
#include "compare/values/metric.h"
#include "compare/values/normalization.h"

namespace comparison {

// A group has own timers or requests if these end at least this many of its sleeps per second.
inline constexpr double kLeastPerSecond = 10;

// What rules need to know of an observation beyond its value, by kind of statistic. All are rates,
// per second or per run of the command as Normalization says, unless said otherwise. kFields are
// those that a side is summarized by.

// A sum or a count: nothing.
struct TotalDetail {
  static constexpr std::array<double TotalDetail::*, 0> kFields{};
};
// A mean of events.
struct MeanDetail {
  double total_ms = 0;  // of all events
  double events = 0;
  static constexpr std::array kFields = {&MeanDetail::total_ms, &MeanDetail::events};
};
// Sleeps for answers.
struct AnswerDetail {
  double total_ms = 0;  // of all answers, each as long as the mean or the median
  double events = 0;
  double cpu_ms = 0;  // that the group ran for
  double wakeups = 0;
  double own_part = 0;  // of their time, by threads of the same group
  static constexpr std::array kFields = {&AnswerDetail::total_ms, &AnswerDetail::events,
                                         &AnswerDetail::cpu_ms, &AnswerDetail::wakeups,
                                         &AnswerDetail::own_part};
};
// All waits for a CPU.
struct CpuWaitDetail {
  double own_ms = 0;    // of the metric: after wakeups, or after preemptions
  double other_ms = 0;  // the other ones
  static constexpr std::array kFields = {&CpuWaitDetail::own_ms, &CpuWaitDetail::other_ms};
};
// Sleeps longer than a threshold.
struct LongSleepDetail {
  double with_cut_ms = 0;  // beyond the threshold, with sleeps that an edge of the capture cut
  double asleep_ms = 0;    // time asleep, per second of the capture
  double timer_ms = 0;     // the part of it that a timer or a device ended
  double wakeups = 0;
  double often = 0;           // wakeups per second, in whole runs per run
  double timer_sleeps = 0;    // sleeps that a timer or a device ended
  double timer_sleep_ms = 0;  // mean length of them, ms
  double requests = 0;        // sleeps for work
  double threads = 1;
  bool per_run = false;  // rates are per run: a longer run contains longer sleeps
  static constexpr std::array kFields = {
      &LongSleepDetail::with_cut_ms,    &LongSleepDetail::asleep_ms, &LongSleepDetail::timer_ms,
      &LongSleepDetail::wakeups,        &LongSleepDetail::often,     &LongSleepDetail::timer_sleeps,
      &LongSleepDetail::timer_sleep_ms, &LongSleepDetail::requests,  &LongSleepDetail::threads};
};
// Sleeps that threads ended, of a group that also sleeps by own timers.
struct ThreadSleepDetail {
  double timer_ms = 0;
  double timer_sleeps = 0;
  double requests = 0;  // wakeups that were no answers to it, and no locks let go
  static constexpr std::array kFields = {
      &ThreadSleepDetail::timer_ms, &ThreadSleepDetail::timer_sleeps, &ThreadSleepDetail::requests};
};
// Sleeps for locks.
struct LockDetail {
  double wakeups = 0;
  double sleeps = 0;
  static constexpr std::array kFields = {&LockDetail::wakeups, &LockDetail::sleeps};
};
// Pauses amid work.
struct PauseDetail {
  double requests = 0;  // sleeps for work
  static constexpr std::array kFields = {&PauseDetail::requests};
};
// Waits in D.
struct BlockedDetail {
  double blocked_ms = 0;
  double after_ms = 0;  // that threads waited for a CPU right behind them
  static constexpr std::array kFields = {&BlockedDetail::blocked_ms, &BlockedDetail::after_ms};
};
// Requests of a name.
struct RequestDetail {
  double total_ms = 0;
  double events = 0;
  static constexpr std::array kFields = {&RequestDetail::total_ms, &RequestDetail::events};
};
using Detail =
    std::variant<TotalDetail, MeanDetail, AnswerDetail, CpuWaitDetail, LongSleepDetail,
                 ThreadSleepDetail, LockDetail, PauseDetail, BlockedDetail, RequestDetail>;

// Load of groups out of scope, in statistics of waits for a CPU.
struct OutOfScopeLoad {
  double wait_ms = 0;  // that the group waited while they held the CPU
  double threads = 0;  // of theirs that ran or waited for a CPU, on average
};

struct Observation {
  double value = 0;  // in the unit of the statistic
  // The tests: of the value, or of two ways to look at it that both must have changed.
  std::array<double, 2> tested{};
  unsigned tests = 1;
  // What `tested` was divided by.
  std::array<double, 2> divisors = {1, 1};
  // Variance of the logarithm that comes from the number of events alone.
  double sampling_variance = 0;
  OutOfScopeLoad out_of_scope;
  Detail detail;

  static Observation Of(double value) {
    Observation made;
    made.value = value;
    made.tested = {value, value};
    return made;
  }
};
// By capture; nothing where there is nothing to take a mean of.
using Observations = std::vector<std::optional<Observation>>;

// Thresholds of long sleeps: quantiles of the sleeps of all captures, each with the same weight.
// ns.
struct SleepThresholds {
  uint64_t p25 = 0;  // three quarters are longer
  uint64_t p50 = 0;
  uint64_t p90 = 0;
  uint64_t p99 = 0;

  uint64_t Of(Statistic statistic) const {
    if (statistic == Statistic::kSleepExcessP25) return p25;
    if (statistic == Statistic::kSleepExcessP90) return p90;
    return statistic == Statistic::kSleepExcessP99 ? p99 : p50;
  }
};
SleepThresholds SleepThresholdsOf(const Groups& groups, const SharedGroup& group,
                                  const Normalization& normalization);

// OutOfScopeWaits() of a group and OutOfScopeThreads() (scope.h); or nothing.
struct OutOfScopeLoads {
  std::span<const uint64_t> wait_ns;
  std::span<const double> threads;
};

// Of any statistic but those of system calls, handlers, elapsed and machine.
Observations Observe(const Groups& groups, const SharedGroup& group, Statistic statistic,
                     const SleepThresholds& thresholds, const Normalization& normalization,
                     const OutOfScopeLoads& out_of_scope = {});
// Of the system calls of a name by a group.
Observations ObserveSyscall(const Groups& groups, const SharedGroup& group, const std::string& name,
                            const Normalization& normalization);
// Of a handler of interrupts, on the whole machine.
Observations ObserveHandler(Captures captures, const std::string& name,
                            const Normalization& normalization);
// Of requests of a name, by capture; null where there are none. Nothing where there are too few.
Observations ObserveRequests(std::span<const measure::Distribution* const> times,
                             Statistic statistic, const Normalization& normalization);
// Of the command and of the machine.
Observations ObserveElapsed(Captures captures);
Observations ObserveLoad(Captures captures);

}  // namespace comparison
