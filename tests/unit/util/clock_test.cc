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

TEST(ClockTest, ReadsTheClocksThatTheirNamesSay) {
  const uint64_t monotonic_before = Read(CLOCK_MONOTONIC);
  const uint64_t monotonic = MonotonicNow();
  EXPECT_LE(monotonic_before, monotonic);
  EXPECT_LE(monotonic, Read(CLOCK_MONOTONIC));

  const uint64_t boottime_before = Read(CLOCK_BOOTTIME);
  const uint64_t boottime = BoottimeNow();
  EXPECT_LE(boottime_before, boottime);
  EXPECT_LE(boottime, Read(CLOCK_BOOTTIME));
}

TEST(ClockTest, OffsetTurnsOneClockIntoTheOther) {
  const int64_t offset = BoottimeOffset(100);
  const uint64_t before = Read(CLOCK_BOOTTIME);
  const uint64_t converted = MonotonicNow() + static_cast<uint64_t>(offset);
  const uint64_t after = Read(CLOCK_BOOTTIME);
  // Each reading takes well below this; a wrong sign or clock is off by the machine's suspended
  // time or its uptime.
  constexpr uint64_t kSlack = 1'000'000;
  EXPECT_GE(converted + kSlack, before);
  EXPECT_LE(converted, after + kSlack);
}

TEST(ClockTest, OffsetIsNotNegative) {
  // CLOCK_BOOTTIME is CLOCK_MONOTONIC and the suspended time, clock_gettime(2).
  EXPECT_GT(BoottimeOffset(100), -100'000);
}

}  // namespace
}  // namespace util
