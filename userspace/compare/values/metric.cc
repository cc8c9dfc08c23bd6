// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/metric.h"

#include <algorithm>
#include <iterator>

namespace comparison {
namespace {

constexpr const char* kIds[] = {
    "cpu_time",    "slice",    "wakeup_latency", "preempted_wait", "sleep",        "blocked",
    "throttled",   "affinity", "weight",         "rt_throttled",   "switches",     "wakeups",
    "migrations",  "forks",    "irq_time",       "softirq_time",   "syscall_time", "inversion",
    "unconserved", "elapsed",  "machine",        "request",
};
static_assert(std::size(kIds) == kMetrics);

// Sorted by metric. The noise is that of captures of some seconds on busy machines. NoiseScales
// (row_tests.h) corrects it from the captures.
constexpr StatisticInfo kTable[] = {
    // statistic, metric, id, unit, floor, noise, gate, cost
    {Statistic::kCpuRate, Metric::kCpuTime, "rate", StatisticUnit::kMsPerSecond, 2, 0.12, 2, 0},
    {Statistic::kCpuPerWakeup, Metric::kCpuTime, "per_wakeup", StatisticUnit::kMicroseconds, 5,
     0.12, 2, 0},
    {Statistic::kSliceTypical, Metric::kSlice, "geometric_mean", StatisticUnit::kMicroseconds, 5,
     0.3, 2, 0},
    {Statistic::kLatencyTypical, Metric::kWakeupLatency, "geometric_mean",
     StatisticUnit::kMicroseconds, 2, 0.45, 2, 0},
    {Statistic::kLatencyMean, Metric::kWakeupLatency, "mean", StatisticUnit::kMicroseconds, 5, 0.5,
     2, 0},
    {Statistic::kLatencyRunnable, Metric::kWakeupLatency, "runnable", StatisticUnit::kMsPerSecond,
     2, 0.5, 2, 0},
    {Statistic::kPreemptedRate, Metric::kPreemptedWait, "rate", StatisticUnit::kMsPerSecond, 2, 0.5,
     2, 0},
    {Statistic::kPreemptedTypical, Metric::kPreemptedWait, "geometric_mean",
     StatisticUnit::kMicroseconds, 10, 0.4, 2, 0},
    {Statistic::kPreemptedRunnable, Metric::kPreemptedWait, "runnable", StatisticUnit::kMsPerSecond,
     2, 0.5, 2, 0},
    {Statistic::kSleepExcessP50, Metric::kSleep, "excess_p50", StatisticUnit::kMsPerSecond, 5, 0.25,
     5, 0},
    {Statistic::kSleepExcessP25, Metric::kSleep, "excess_p25", StatisticUnit::kMsPerSecond, 5, 0.25,
     5, 0},
    {Statistic::kSleepExcessP90, Metric::kSleep, "excess_p90", StatisticUnit::kMsPerSecond, 5, 0.35,
     5, 0},
    {Statistic::kSleepExcessP99, Metric::kSleep, "excess_p99", StatisticUnit::kMsPerSecond, 5, 0.45,
     5, 0},
    {Statistic::kSleepForThreads, Metric::kSleep, "for_threads", StatisticUnit::kMsPerSecond, 5,
     0.25, 5, 0},
    {Statistic::kAnswerP50, Metric::kSleep, "answer_p50", StatisticUnit::kMicroseconds, 20, 0.2, 5,
     0},
    {Statistic::kAnswerMean, Metric::kSleep, "answer", StatisticUnit::kMicroseconds, 20, 0.3, 5, 0},
    {Statistic::kLockRate, Metric::kSleep, "for_locks", StatisticUnit::kMsPerSecond, 5, 0.5, 5, 0},
    {Statistic::kPauseRate, Metric::kSleep, "pauses", StatisticUnit::kMsPerSecond, 5, 0.3, 5, 0},
    {Statistic::kBlockedCount, Metric::kBlocked, "count", StatisticUnit::kPerSecond, 2, 0.35, 2, 0},
    {Statistic::kBlockedRate, Metric::kBlocked, "rate", StatisticUnit::kMsPerSecond, 2, 0.5, 2, 0},
    {Statistic::kThrottledRate, Metric::kThrottled, "rate", StatisticUnit::kMsPerSecond, 2, 0.3, 2,
     0},
    {Statistic::kAffinityRate, Metric::kAffinity, "rate", StatisticUnit::kMsPerSecond, 2, 0.3, 2,
     0},
    {Statistic::kWeightRate, Metric::kWeight, "rate", StatisticUnit::kMsPerSecond, 2, 0.5, 2, 0},
    {Statistic::kRtThrottledRate, Metric::kRtThrottled, "rate", StatisticUnit::kMsPerSecond, 2, 0.5,
     2, 0},
    {Statistic::kSwitchRate, Metric::kSwitches, "rate", StatisticUnit::kPerSecond, 10, 0.2, 1, 5},
    {Statistic::kWakeupRate, Metric::kWakeups, "rate", StatisticUnit::kPerSecond, 10, 0.15, 1, 5},
    {Statistic::kMigrationRate, Metric::kMigrations, "rate", StatisticUnit::kPerSecond, 10, 0.8, 1,
     20},
    {Statistic::kProcessRate, Metric::kForks, "processes", StatisticUnit::kPerSecond, 1, 0.15, 1,
     500},
    {Statistic::kThreadRate, Metric::kForks, "threads", StatisticUnit::kPerSecond, 1, 0.15, 1, 50},
    {Statistic::kIrqRate, Metric::kIrqTime, "rate", StatisticUnit::kMsPerSecond, 1, 0.3, 2, 0},
    {Statistic::kSoftirqRate, Metric::kSoftirqTime, "rate", StatisticUnit::kMsPerSecond, 1, 0.3, 2,
     0},
    {Statistic::kSyscallRate, Metric::kSyscallTime, "rate", StatisticUnit::kMsPerSecond, 2, 0.3, 2,
     0},
    {Statistic::kInversionRate, Metric::kInversion, "rate", StatisticUnit::kMsPerSecond, 2, 0.6, 2,
     0},
    {Statistic::kUnconservedRate, Metric::kUnconserved, "rate", StatisticUnit::kMsPerSecond, 2, 0.6,
     2, 0},
    {Statistic::kElapsedTime, Metric::kElapsed, "time", StatisticUnit::kMilliseconds, 1, 0.08, 2,
     0},
    {Statistic::kMachineLoad, Metric::kMachine, "load", StatisticUnit::kMsPerSecond, 10, 0.15, 2,
     0},
    {Statistic::kRequestP50, Metric::kRequest, "p50", StatisticUnit::kMicroseconds, 20, 0.2, 1, 0},
    {Statistic::kRequestMean, Metric::kRequest, "mean", StatisticUnit::kMicroseconds, 20, 0.3, 1,
     0},
    {Statistic::kRequestP90, Metric::kRequest, "p90", StatisticUnit::kMicroseconds, 20, 0.4, 1, 0},
    {Statistic::kRequestP99, Metric::kRequest, "p99", StatisticUnit::kMicroseconds, 20, 0.5, 1, 0},
};
static_assert(std::size(kTable) == kStatistics);

constexpr bool InOrder() {
  for (size_t i = 0; i < kStatistics; ++i) {
    if (kTable[i].statistic != static_cast<Statistic>(i)) return false;
  }
  return true;
}
static_assert(InOrder());

}  // namespace

bool IsExcess(Statistic statistic) {
  return InfoOf(statistic).metric == Metric::kSleep && statistic < Statistic::kSleepForThreads;
}

bool IsAnswers(Statistic statistic) {
  return statistic == Statistic::kAnswerP50 || statistic == Statistic::kAnswerMean;
}

bool IsMean(Statistic statistic) {
  return statistic == Statistic::kCpuPerWakeup || statistic == Statistic::kSliceTypical ||
         statistic == Statistic::kLatencyTypical || statistic == Statistic::kLatencyMean ||
         statistic == Statistic::kPreemptedTypical || IsAnswers(statistic) ||
         InfoOf(statistic).metric == Metric::kRequest;
}

const char* IdOf(Metric metric) { return kIds[static_cast<size_t>(metric)]; }

const StatisticInfo& InfoOf(Statistic statistic) { return kTable[static_cast<size_t>(statistic)]; }

std::span<const StatisticInfo> StatisticsOf(Metric metric) {
  const auto [begin, end] = std::equal_range(
      std::begin(kTable), std::end(kTable),
      StatisticInfo{Statistic{}, metric, "", StatisticUnit{}, 0, 0, 0, 0},
      [](const StatisticInfo& a, const StatisticInfo& b) { return a.metric < b.metric; });
  return {begin, end};
}

}  // namespace comparison
