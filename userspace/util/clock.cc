// SPDX-License-Identifier: BSD-2-Clause
#include "util/clock.h"

#include <ctime>

namespace util {
namespace {

uint64_t Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

uint64_t MonotonicNow() { return Read(CLOCK_MONOTONIC); }
uint64_t BoottimeNow() { return Read(CLOCK_BOOTTIME); }

int64_t BoottimeOffset(int attempts) {
  int64_t best_offset = 0;
  uint64_t best_window = UINT64_MAX;
  for (int i = 0; i < attempts; ++i) {
    uint64_t before = MonotonicNow();
    uint64_t boottime = BoottimeNow();
    uint64_t after = MonotonicNow();
    if (after - before >= best_window) continue;
    best_window = after - before;
    best_offset = static_cast<int64_t>(boottime - (before + best_window / 2));
  }
  return best_offset;
}

}  // namespace util
