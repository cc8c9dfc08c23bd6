// SPDX-License-Identifier: BSD-2-Clause
// The metrics that are compared, and the statistics that each of them is tested by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace comparison {

inline constexpr double kNsPerUs = 1e3;
inline constexpr double kNsPerMs = 1e6;
inline constexpr double kUsPerMs = 1e3;
inline constexpr double kNsPerSecond = 1e9;

// A change is explained by what makes up this part of it, or more: of its ms or of its logarithm.
inline constexpr double kExplained = 0.5;
// A smaller part of a change, or of what a group did, does not count.
inline constexpr double kNamed = 0.25;
// The least part of a change that a cause has itself, and of the wakeups of a waker.
inline constexpr double kLeastPart = 0.05;

enum class Metric : uint8_t {
  kCpuTime,
  kSlice,
  kWakeupLatency,
  kPreemptedWait,
  kSleep,
  kBlocked,
  kThrottled,    // by the quota of a cgroup
  kAffinity,     // runnable while a CPU was idle that it may not use
  kWeight,       // runnable while a greater weight had the CPU
  kRtThrottled,  // runnable, and the real-time budget used up
  kSwitches,
  kWakeups,
  kMigrations,
  kForks,
  kIrqTime,
  kSoftirqTime,
  kSyscallTime,  // by call
  kInversion,
  kUnconserved,
  kElapsed,  // of the command
  kMachine,  // load of the whole machine
  kRequest,  // by name
};
inline constexpr size_t kMetrics = 22;

// The name in JSON: "cpu_time".
const char* IdOf(Metric metric);

// Whether a change of the metric is only a part of another finding. Slices change with everything.
// Waits beside an idle CPU, while a lower priority runs or behind a greater weight are a part of
// the waits, and usual between threads of ordinary priorities.
constexpr bool IsPart(Metric metric) {
  return metric == Metric::kSlice || metric == Metric::kInversion ||
         metric == Metric::kUnconserved || metric == Metric::kWeight;
}

enum class Statistic : uint8_t {
  kCpuRate,
  kCpuPerWakeup,
  kSliceTypical,
  kLatencyTypical,
  kLatencyMean,
  kLatencyRunnable,
  kPreemptedRate,
  kPreemptedTypical,
  kPreemptedRunnable,
  kSleepExcessP50,
  kSleepExcessP25,
  kSleepExcessP90,
  kSleepExcessP99,
  kSleepForThreads,
  kAnswerP50,
  kAnswerMean,
  kLockRate,
  kPauseRate,
  kBlockedCount,
  kBlockedRate,
  kThrottledRate,
  kAffinityRate,
  kWeightRate,
  kRtThrottledRate,
  kSwitchRate,
  kWakeupRate,
  kMigrationRate,
  kProcessRate,
  kThreadRate,
  kIrqRate,
  kSoftirqRate,
  kSyscallRate,
  kInversionRate,
  kUnconservedRate,
  kElapsedTime,
  kMachineLoad,
  kRequestP50,
  kRequestMean,
  kRequestP90,
  kRequestP99,
};
inline constexpr size_t kStatistics = 40;

enum class StatisticUnit : uint8_t {
  kMsPerSecond,
  kPerSecond,
  kMicroseconds,
  kMilliseconds,
};

struct StatisticInfo {
  Statistic statistic;
  Metric metric;
  const char* id;  // "geometric_mean"
  StatisticUnit unit;
  // Added before the logarithm, in the unit. Changes far below it do not matter.
  double floor;
  // Prior standard deviation of the logarithm between captures of the same program.
  double noise;
  // The least change that is tested, ms per second.
  double gate;
  // The cost of one event of a count, us. 0: a time.
  double cost;
};

const StatisticInfo& InfoOf(Statistic statistic);
// Whether it is a mean of events, and not a sum or a count.
bool IsMean(Statistic statistic);
// Sleeps longer than a quantile: these contain each other.
bool IsExcess(Statistic statistic);
// How long answers take.
bool IsAnswers(Statistic statistic);
// The statistics of a metric.
std::span<const StatisticInfo> StatisticsOf(Metric metric);

}  // namespace comparison
