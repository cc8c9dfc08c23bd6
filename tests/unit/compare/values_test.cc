// SPDX-License-Identifier: BSD-2-Clause
// Normalization, pairs and quantiles of captures.
#include <gtest/gtest.h>

#include <vector>

#include "compare/values/comparability.h"
#include "compare/values/lengths.h"
#include "compare/values/normalization.h"

namespace comparison {
namespace {

using measure::Capture;
using measure::Distribution;

TEST(NormalizationTest, RatesArePerSecondOfEachCapture) {
  Capture one;
  one.end = 2'000'000'000;
  Capture two;
  two.end = 4'000'000'000;
  const std::vector<const Capture*> captures = {&one, &two};
  const Normalization frame = NormalizationOf(captures);
  EXPECT_FALSE(frame.per_run);
  EXPECT_EQ(frame.seconds, (std::vector<double>{2, 4}));
  EXPECT_EQ(frame.shortest, 2e9);
}

TEST(NormalizationTest, RatesArePerRunIfEveryCaptureHasOne) {
  Capture one;
  one.end = 2'000'000'000;
  one.elapsed_ns = 1'000'000'000;
  Capture two = one;
  two.elapsed_ns = 3'000'000'000;
  const std::vector<const Capture*> captures = {&one, &two};
  EXPECT_TRUE(NormalizationOf(captures).per_run);
  EXPECT_EQ(NormalizationOf(captures).seconds, (std::vector<double>{2, 2}));
  two.elapsed_ns.reset();
  EXPECT_FALSE(NormalizationOf(captures).per_run);
}

TEST(NormalizationTest, WeightsSleepsByTheShortestCapture) {
  // Sleeps of 1 s begin at any time: half of them are complete in 2 s, three quarters in 4 s.
  EXPECT_DOUBLE_EQ(CompleteWeight(1e9, 4e9, 2e9), 0.5 / 0.75);
  EXPECT_DOUBLE_EQ(CompleteWeight(1e9, 2e9, 2e9), 1);
  EXPECT_DOUBLE_EQ(CompleteWeight(3e9, 4e9, 2e9), 0);
}

TEST(InterleavedPairsTest, PairsConsecutiveCaptures) {
  std::vector<Capture> captures(8);
  // Base at 0, 20, 45, 55; new at 10, 30, 40, 50: ABABBABA, that is AB AB BA BA.
  const double starts[] = {0, 20, 45, 55, 10, 30, 40, 50};
  std::vector<const Capture*> pointers;
  for (size_t i = 0; i < captures.size(); ++i) {
    captures[i].start_time = starts[i];
    pointers.push_back(&captures[i]);
  }
  EXPECT_EQ(InterleavedPairs(pointers, 4), (Pairs{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
  captures[1].start_time = 5;  // AABB...
  EXPECT_TRUE(InterleavedPairs(pointers, 4).empty());
  captures[1].start_time.reset();
  EXPECT_TRUE(InterleavedPairs(pointers, 4).empty());
}

std::optional<double> QuantileOf(const std::vector<const Distribution*>& captures, double q) {
  return QuantilesOf(captures, std::span(&q, 1)).front();
}

TEST(QuantilesTest, NeedEnoughWaits) {
  Distribution times;
  times.whole.Add(1000, 199);
  EXPECT_TRUE(QuantileOf(std::vector<const Distribution*>{&times}, 0.5));
  EXPECT_FALSE(QuantileOf(std::vector<const Distribution*>{&times}, 0.99));
  times.whole.Add(1000);
  EXPECT_TRUE(QuantileOf(std::vector<const Distribution*>{&times}, 0.99));
  EXPECT_FALSE(QuantileOf(std::vector<const Distribution*>{&times}, 0.999));
}

TEST(QuantilesTest, CountCutWaitsAsCensored) {
  // Kaplan and Meier: 30 of 10, 30 cut at 20, 40 of 40. S(10) = 0.7; at 40 all 40 left end.
  Distribution times;
  times.whole.Add(10, 30);
  times.cut.Add(20, 30);
  times.whole.Add(40, 40);
  const std::vector<const Distribution*> captures = {&times};
  EXPECT_EQ(QuantileOf(captures, 0.3), 10);
  // Without the cut waits the quantiles up to 3/7 would be 10.
  EXPECT_EQ(QuantileOf(captures, 0.4), 40);
  // Beyond the last complete wait there is no quantile.
  times.cut.Add(60, 50);
  EXPECT_FALSE(QuantileOf(captures, 0.5).has_value() && *QuantileOf(captures, 0.5) > 40);
}

}  // namespace
}  // namespace comparison
