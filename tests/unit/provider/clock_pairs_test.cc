// SPDX-License-Identifier: BSD-2-Clause
#include "provider/clock_pairs.h"

#include <gtest/gtest.h>

#include "util/clock.h"

namespace provider {
namespace {

TEST(ClockPairsTest, NeedsTwoPairs) {
  ClockPairs pairs;
  EXPECT_EQ(pairs.ToNanoseconds(5), 0u);
  pairs.Add(100, 1000);
  EXPECT_EQ(pairs.ToNanoseconds(100), 0u);
  pairs.Add(200, 2000);
  EXPECT_EQ(pairs.ToNanoseconds(100), 1000u);
}

TEST(ClockPairsTest, FollowsTheRateBetweenPairs) {
  ClockPairs pairs;
  pairs.Add(1000, 500);
  pairs.Add(2000, 1000);
  pairs.Add(3000, 1400);  // the kernel slews its clock
  EXPECT_EQ(pairs.ToNanoseconds(1500), 750u);
  EXPECT_EQ(pairs.ToNanoseconds(2000), 1000u);
  EXPECT_EQ(pairs.ToNanoseconds(2500), 1200u);
  EXPECT_EQ(pairs.ToNanoseconds(4000), 1800u);
  EXPECT_EQ(pairs.ToNanoseconds(600), 300u);
  EXPECT_EQ(pairs.ToNanoseconds(0), 0u);
}

TEST(ClockPairsTest, SaturatesAtTheLargestTime) {
  ClockPairs pairs;
  pairs.Add(1, 1'000'000'000);
  pairs.Add(2, 2'000'000'000);
  EXPECT_EQ(pairs.ToNanoseconds(UINT64_MAX), UINT64_MAX);
}

TEST(ClockPairsTest, IgnoresPairsThatDoNotGrow) {
  ClockPairs pairs;
  pairs.Add(100, 1000);
  pairs.Add(100, 1100);
  pairs.Add(110, 900);
  EXPECT_EQ(pairs.size(), 1u);
}

TEST(ClockPairsTest, RestartsWhenTheCounterGoesBack) {
  ClockPairs pairs;
  pairs.Add(100, 1000);
  pairs.Add(200, 2000);
  pairs.Add(50, 3000);
  EXPECT_EQ(pairs.size(), 1u);
  pairs.Add(60, 3100);
  EXPECT_EQ(pairs.ToNanoseconds(55), 3050u);
}

TEST(ClockPairsTest, DropsTheOldestPairs) {
  ClockPairs pairs;
  for (uint64_t i = 1; i <= ClockPairs::kMaxPairs + 10; ++i) pairs.Add(i * 2, i * 3);
  EXPECT_EQ(pairs.size(), ClockPairs::kMaxPairs);
  EXPECT_EQ(pairs.ToNanoseconds(40), 60u);
}

TEST(ClockPairsTest, ReadsThisMachine) {
  if (!ClockPairs::CounterIsInvariant()) GTEST_SKIP() << "no invariant counter";
  ClockPairs pairs;
  pairs.Take(0);
  while (pairs.size() < 2) pairs.Take(0);
  const uint64_t before = util::MonotonicNow();
  pairs.Take(7'000'000'000);
  EXPECT_GE(pairs.ToNanoseconds(UINT64_MAX), before + 7'000'000'000);
}

TEST(ClockPairsTest, FrequentReadingsDoNotFillTheTable) {
  ClockPairs pairs;
  for (int i = 0; i < 1000; ++i) pairs.Take(0);
  EXPECT_LT(pairs.size(), 10u);
}

}  // namespace
}  // namespace provider
