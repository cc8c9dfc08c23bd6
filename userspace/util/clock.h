// SPDX-License-Identifier: BSD-2-Clause
// Clock readings of this process.
#pragma once

#include <cstdint>

namespace util {

// ns of CLOCK_MONOTONIC, for durations. In a time namespace it differs from the kernel's clock,
// which stamps events (capture/bpf/kernel_clock.h).
uint64_t MonotonicNow();

// The kernel's CLOCK_MONOTONIC minus MonotonicNow(), in ns; 0 outside time namespaces.
uint64_t KernelMonotonicAhead();

// The machine's clocks minus its CLOCK_BOOTTIME, in ns, now. The error is below a microsecond, also
// in a time namespace.
struct ClockOffsets {
  int64_t realtime = 0;
  int64_t monotonic = 0;
};
ClockOffsets MeasureClockOffsets();

}  // namespace util
