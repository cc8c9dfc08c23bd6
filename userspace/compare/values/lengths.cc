// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/lengths.h"

namespace comparison {

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
