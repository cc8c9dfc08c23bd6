// SPDX-License-Identifier: BSD-2-Clause
// Longer sleeps beside fewer waits for a CPU: a thread that waits less has more time to sleep.
// Waits also vary with the load of the machine.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::Simulator;
using testing::Work;

using Waits = std::array<double, 5>;  // ms per second, by capture

// Whether the sleep of "worker" is a finding, with ten more sleeps of 30 ms per second.
bool IsSlower(const Waits& before, const Waits& after) {
  Work worker;
  Work slower = worker;
  slower.long_sleeps = 10;
  slower.long_sleep_ms = 30;
  auto sides = Simulator(3).Sides({worker}, {slower}, before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    for (const auto& [capture, ms] :
         {std::pair(&sides.base[i], before[i]), std::pair(&sides.next[i], after[i])}) {
      capture->groups[0].share_ns[static_cast<size_t>(facts::Share::kRunnableWakeup)] =
          static_cast<uint64_t>(ms * 1e6 * static_cast<double>(capture->length()) / 1e9);
    }
  }
  const auto report = Compare(std::move(sides));
  EXPECT_TRUE(report);
  for (const size_t number : report->findings) {
    if (report->rows[number].metric == Metric::kSleep) return true;
  }
  return false;
}

TEST(SlackTest, SignificantlyFewerWaitsExplainLongerSleeps) {
  EXPECT_TRUE(IsSlower({500, 510, 490, 505, 495}, {500, 510, 490, 505, 495}));
  EXPECT_FALSE(IsSlower({500, 510, 490, 505, 495}, {190, 210, 200, 195, 205}));
}

TEST(SlackTest, FewerWaitsByChanceExplainNothing) {
  EXPECT_TRUE(IsSlower({200, 1400, 300, 1000, 250}, {150, 800, 560, 60, 400}));
}

}  // namespace
}  // namespace comparison
