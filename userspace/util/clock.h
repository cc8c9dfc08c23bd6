// SPDX-License-Identifier: BSD-2-Clause
// This process's clock.
#pragma once

#include <cstdint>

namespace util {

// ns of CLOCK_MONOTONIC, for how long something takes: in a time namespace it is not that of the
// kernel, which events are stamped with (capture/bpf/kernel_clock.h).
uint64_t MonotonicNow();

// ns to add to MonotonicNow() to have the kernel's; 0 outside of time namespaces.
uint64_t KernelMonotonicAhead();

// ns by which the machine's other clocks are ahead of its CLOCK_BOOTTIME, now. Each is off by less
// than a microsecond, and right in a time namespace as well.
struct ClockOffsets {
  int64_t realtime = 0;
  int64_t monotonic = 0;
};
ClockOffsets MeasureClockOffsets();

}  // namespace util
