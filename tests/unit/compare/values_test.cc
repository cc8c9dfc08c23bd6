// SPDX-License-Identifier: BSD-2-Clause
// Frames, turns, quantiles: what values of captures are made comparable by.
#include <gtest/gtest.h>

#include <vector>

#include "compare/values/frame.h"
#include "compare/values/interleaving.h"
#include "compare/values/quantiles.h"

namespace comparison {
namespace {

using measure::Capture;
using measure::Distribution;

TEST(FrameTest, RatesArePerSecondOfEachCapture) {
  Capture one;
  one.end = 2'000'000'000;
  Capture two;
  two.end = 4'000'000'000;
  const std::vector<const Capture*> captures = {&one, &two};
  const Frame frame = FrameOf(captures);
  EXPECT_FALSE(frame.per_run);
  EXPECT_EQ(frame.seconds, (std::vector<double>{2, 4}));
  EXPECT_EQ(frame.shortest, 2e9);
}

TEST(FrameTest, OrPerRunWhereEveryCaptureHoldsOne) {
  Capture one;
  one.end = 2'000'000'000;
  one.elapsed_ns = 1'000'000'000;
  Capture two = one;
  two.elapsed_ns = 3'000'000'000;
  const std::vector<const Capture*> captures = {&one, &two};
  EXPECT_TRUE(FrameOf(captures).per_run);
  EXPECT_EQ(FrameOf(captures).seconds, (std::vector<double>{2, 2}));
  two.elapsed_ns.reset();
  EXPECT_FALSE(FrameOf(captures).per_run);
}

TEST(FrameTest, LongerCapturesAreCutToTheShortest) {
  // Sleeps of 1 s that begin at any time: in 2 s half of them are whole, in 4 s three quarters.
  EXPECT_DOUBLE_EQ(WholeWeight(1e9, 4e9, 2e9), 0.5 / 0.75);
  EXPECT_DOUBLE_EQ(WholeWeight(1e9, 2e9, 2e9), 1);
  EXPECT_DOUBLE_EQ(WholeWeight(3e9, 4e9, 2e9), 0);
}

TEST(TurnsTest, PairsAreNextToEachOther) {
  std::vector<Capture> captures(8);
  // Base at 0, 20, 45, 55; new at 10, 30, 40, 50: ABABBABA, that is AB AB BA BA.
  const double starts[] = {0, 20, 45, 55, 10, 30, 40, 50};
  std::vector<const Capture*> pointers;
  for (size_t i = 0; i < captures.size(); ++i) {
    captures[i].start_time = starts[i];
    pointers.push_back(&captures[i]);
  }
  EXPECT_EQ(TurnsOf(pointers, 4), (Pairs{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
  captures[1].start_time = 5;  // AABB...
  EXPECT_TRUE(TurnsOf(pointers, 4).empty());
  captures[1].start_time.reset();
  EXPECT_TRUE(TurnsOf(pointers, 4).empty());
}

TEST(QuantilesTest, TooFewWaitsHaveNone) {
  Distribution times;
  times.whole.Add(1000, 1999);
  EXPECT_TRUE(QuantileOf(std::vector<const Distribution*>{&times}, 0.5));
  EXPECT_FALSE(QuantileOf(std::vector<const Distribution*>{&times}, 0.99));
  times.whole.Add(1000);
  EXPECT_TRUE(QuantileOf(std::vector<const Distribution*>{&times}, 0.99));
  EXPECT_FALSE(QuantileOf(std::vector<const Distribution*>{&times}, 0.999));
}

TEST(QuantilesTest, CutWaitsCountAsAtLeastSoLong) {
  // Kaplan and Meier: 30 of 10, 30 cut at 20, 40 of 40. S(10) = 0.7; at 40 all 40 left end.
  Distribution times;
  times.whole.Add(10, 30);
  times.cut.Add(20, 30);
  times.whole.Add(40, 40);
  const std::vector<const Distribution*> captures = {&times};
  EXPECT_EQ(QuantileOf(captures, 0.3), 10);
  // Without the cut ones 10 would be up to 3/7.
  EXPECT_EQ(QuantileOf(captures, 0.4), 40);
  // Where the last ones are cut nobody knows.
  times.cut.Add(60, 50);
  EXPECT_FALSE(QuantileOf(captures, 0.5).has_value() && *QuantileOf(captures, 0.5) > 40);
}

}  // namespace
}  // namespace comparison
