// SPDX-License-Identifier: BSD-2-Clause
#include "util/clock.h"

#include <ctime>

namespace util {

uint64_t MonotonicNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace util
