// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/lengths.h"

#include "compare/values/frame.h"

namespace comparison {

LengthSum ExcessOf(const measure::Histogram& histogram, uint64_t threshold, double own,
                   double shortest) {
  LengthSum sum;
  histogram.ForEach([&](uint32_t bucket, uint64_t count) {
    const uint64_t middle = measure::Histogram::MiddleOf(bucket);
    if (middle <= threshold) return;
    const double weight =
        static_cast<double>(count) * WholeWeight(static_cast<double>(middle), own, shortest);
    const auto excess = static_cast<double>(middle - threshold);
    sum.count += weight;
    sum.ns += weight * excess;
    sum.squares += weight * excess * excess;
  });
  return sum;
}

const measure::Distribution* LengthsOf(const measure::Group& group, Metric metric,
                                       const std::string& name) {
  using measure::Duration;
  switch (metric) {
    case Metric::kCpuTime:
    case Metric::kSlice:
      return &group.of(Duration::kSlice);
    case Metric::kWakeupLatency:
      return &group.of(Duration::kWakeupLatency);
    case Metric::kPreemptedWait:
    case Metric::kInversion:
    case Metric::kUnconserved:
      return &group.of(Duration::kPreemptedWait);
    case Metric::kSleep:
      return &group.of(Duration::kSleep);
    case Metric::kBlocked:
      return &group.of(Duration::kBlocked);
    case Metric::kSyscallTime: {
      const auto found = group.syscalls.find(name);
      return found == group.syscalls.end() ? nullptr : &found->second;
    }
    default:
      return nullptr;
  }
}

}  // namespace comparison
