// SPDX-License-Identifier: BSD-2-Clause
// Sleeps of two lengths, of which one side has more of the longer ones.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::Simulator;
using testing::Work;

// So many sleeps in all of a capture of three seconds: `longer` of them of 3 ms, the others of 1.
void SetSleeps(measure::Capture& capture, uint64_t all, uint64_t longer) {
  measure::Group& group = capture.groups[0];
  measure::Distribution& sleeps = group.of(measure::Duration::kSleep);
  sleeps = {};
  uint64_t sum = 0;
  for (uint64_t i = 0; i < all; ++i) {
    // By two thousandths longer or shorter.
    const uint64_t ns = (i < longer ? 3'000'000 : 1'000'000) / 1000 * (998 + i % 5);
    sleeps.whole.Add(ns);
    sum += ns;
  }
  sleeps.whole_ns = sum;
  group.share_ns[static_cast<size_t>(facts::Share::kSleeping)] = sum;
  group.wakeups = all;
}

Verdict VerdictOf(uint64_t longer_before, uint64_t longer_after) {
  auto sides = Simulator(5).Sides({Work()}, {Work()}, 5);
  for (size_t i = 0; i < sides.base.size(); ++i) {
    SetSleeps(sides.base[i], 590 + 5 * i, longer_before + 4 * i);
    SetSleeps(sides.next[i], 600 - 4 * i, longer_after - 4 * i);
  }
  const auto report = Compare(std::move(sides));
  EXPECT_TRUE(report);
  return testing::Find(*report, "worker", Metric::kSleep)->verdict;
}

// The median of all is one of the longer ones: nothing is much longer than that.
TEST(SleepTest, MostAreLongerWhereSomeWereBefore) {
  EXPECT_EQ(VerdictOf(120, 580), Verdict::kWorse);
}

TEST(SleepTest, SomeAreLonger) { EXPECT_EQ(VerdictOf(20, 200), Verdict::kWorse); }

TEST(SleepTest, AsManyAreLongerAsBefore) {
  EXPECT_FALSE(IsFinding(VerdictOf(300, 300)));
  EXPECT_FALSE(IsFinding(VerdictOf(120, 120)));
}

}  // namespace
}  // namespace comparison
