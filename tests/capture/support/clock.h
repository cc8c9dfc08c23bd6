// SPDX-License-Identifier: BSD-2-Clause
// The clock of both tracers.
#pragma once

#include <time.h>

#include <cstdint>

namespace truth {

// Nanoseconds of CLOCK_BOOTTIME.
inline uint64_t BootTimeNs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace truth
