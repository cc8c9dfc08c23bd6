// SPDX-License-Identifier: BSD-2-Clause
// What is compared: metrics, and the statistics that each of them is judged by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace comparison {

inline constexpr double kNsPerUs = 1e3;
inline constexpr double kNsPerMs = 1e6;
inline constexpr double kNsPerSecond = 1e9;

// A change is owed to what makes up this part of it, or more: of its ms, or of its logarithm.
inline constexpr double kExplained = 0.5;

enum class Metric : uint8_t {
  kCpuTime,
  kSlice,
  kWakeupLatency,
  kPreemptedWait,
  kSleep,
  kBlocked,
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
};
inline constexpr size_t kMetrics = 17;

// The name that does not change: "cpu_time".
const char* IdOf(Metric metric);

// Whether a change of it is never a finding by itself, only a part of another one: slices, which
// become longer and shorter with everything; waits beside an idle CPU or while a lower priority
// runs, which are a part of the waits, and between threads of ordinary priorities usual.
constexpr bool IsPart(Metric metric) {
  return metric == Metric::kSlice || metric == Metric::kInversion || metric == Metric::kUnconserved;
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
  kSleepExcessHalf,
  kSleepExcessMost,
  kSleepExcessTenth,
  kSleepExcessHundredth,
  kSleepCount,
  kSleepForThreads,
  kBlockedCount,
  kBlockedRate,
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
};
inline constexpr size_t kStatistics = 29;

// What a statistic's values are in.
enum class Unit : uint8_t {
  kMsPerSecond,
  kPerSecond,
  kMicroseconds,
  kMilliseconds,
};

struct StatisticInfo {
  Statistic statistic;
  Metric metric;
  const char* id;  // "geometric_mean"
  Unit unit;
  // Added before the logarithm, in the unit: changes far below it are none.
  double floor;
  // Standard deviation of the logarithm from capture to capture, of captures of the same thing.
  double noise;
  // The change that has to be, at least, in ms per second.
  double gate;
  // Of counts: what one of them costs, in us. 0: a time.
  double cost;
};

const StatisticInfo& InfoOf(Statistic statistic);
// Those of a metric.
std::span<const StatisticInfo> StatisticsOf(Metric metric);

}  // namespace comparison
