// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace capture {
namespace {

KernelClock Reading(std::vector<util::Result<fxr_clocks>> readings) {
  return KernelClock([readings, next = size_t{0}]() mutable { return readings.at(next++); });
}

TEST(KernelClockTest, ReturnsTheLastReading) {
  KernelClock clock = Reading({fxr_clocks{1000, 51'010, 1020}, fxr_clocks{2000, 72'005, 2010}});
  ASSERT_TRUE(clock.Read().ok());
  EXPECT_EQ(clock.monotonic(), 1020u);
  EXPECT_EQ(clock.boottime_offset(), 50'000);
  ASSERT_TRUE(clock.Read().ok());
  EXPECT_EQ(clock.monotonic(), 2010u);
  EXPECT_EQ(clock.boottime_offset(), 70'000);
}

TEST(KernelClockTest, ChoosesTheMostPreciseOffset) {
  // Between the second one's readings the machine paused.
  KernelClock clock = Reading({fxr_clocks{1000, 6050, 1100}, fxr_clocks{2000, 7010, 12'000},
                               fxr_clocks{20'000, 25'010, 20'020}});
  const auto offset = clock.MeasureBoottimeOffset(3);
  ASSERT_TRUE(offset.ok());
  EXPECT_EQ(*offset, 5000);
}

TEST(KernelClockTest, KeepsTheLastReadingOnFailure) {
  KernelClock clock =
      Reading({fxr_clocks{1000, 1010, 1020}, util::Error{"not now", ""}, util::Error{"no", ""}});
  ASSERT_TRUE(clock.Read().ok());
  EXPECT_FALSE(clock.Read().ok());
  EXPECT_EQ(clock.monotonic(), 1020u);
  EXPECT_FALSE(clock.MeasureBoottimeOffset(1).ok());
}

}  // namespace
}  // namespace capture
