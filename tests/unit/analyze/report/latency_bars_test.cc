// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/latency_bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace analyze {
namespace {

using measure::Duration;
using ::testing::HasSubstr;

TEST(LatencyBarsTest, ALineForEachPowerOfTwo) {
  measure::Capture capture;
  capture.groups.resize(2);
  capture.groups[0].of(Duration::kWakeupLatency).whole.Add(1024, 30);
  capture.groups[0].of(Duration::kPreemptedWait).whole.Add(2047, 10);
  capture.groups[1].of(Duration::kWakeupLatency).whole.Add(4096, 20);
  capture.groups[1].of(Duration::kSleep).whole.Add(1 << 20, 1000);
  const std::string text = LatencyBars(capture);
  EXPECT_THAT(text, HasSubstr("1.02us         40  |" + std::string(40, '*') + "|\n"));
  EXPECT_THAT(text, HasSubstr("2.05us          0  |" + std::string(40, ' ') + "|\n"));
  EXPECT_THAT(text, HasSubstr("4.10us         20  |" + std::string(20, '*') + std::string(20, ' ') +
                              "|\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(LatencyBarsTest, WhereNothingWaitedThereIsNothing) {
  EXPECT_EQ(LatencyBars(measure::Capture()), "");
}

TEST(LatencyBarsTest, AnyLengthHasItsLine) {
  measure::Capture capture;
  capture.groups.resize(1);
  for (const uint64_t length : {uint64_t{0}, UINT64_MAX}) {
    capture.groups[0].of(Duration::kWakeupLatency).whole.Add(length);
  }
  const std::string text = LatencyBars(capture);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 67);
}

}  // namespace
}  // namespace analyze
