// SPDX-License-Identifier: BSD-2-Clause
#include "util/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace util {
namespace {

uint64_t Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

TEST(ClockTest, ReadsTheNamedClock) {
  const uint64_t monotonic_before = Read(CLOCK_MONOTONIC);
  const uint64_t monotonic = MonotonicNow();
  EXPECT_LE(monotonic_before, monotonic);
  EXPECT_LE(monotonic, Read(CLOCK_MONOTONIC));
}

}  // namespace
}  // namespace util
