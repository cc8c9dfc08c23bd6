// SPDX-License-Identifier: BSD-2-Clause
#include "compare/side_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace comparison {
namespace {

Observations Of(std::initializer_list<double> values) {
  Observations captures;
  for (const double value : values) captures.push_back(Observation::Of(value));
  return captures;
}

double RangeOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

TEST(SideSummaryTest, DampsTheVarianceOfNextToNothing) {
  const auto [base, next] =
      SummarizeSides(Statistic::kPreemptedRate, Of({0.2, 55, 0.5, 300, 290, 310}), 3);
  ASSERT_EQ(base.shown.size(), 3u);
  ASSERT_EQ(next.tested[0].size(), 3u);
  EXPECT_LT(RangeOf(base.tested[0]), RangeOf(base.shown) / 2);
  EXPECT_LT(base.damping, 0.3);
  EXPECT_GT(next.damping, 0.8);
  EXPECT_NEAR(next.value, 300, 1);
}

TEST(SideSummaryTest, TestsSimilarValuesAsShown) {
  const auto [base, next] =
      SummarizeSides(Statistic::kCpuRate, Of({100, 110, 90, 130, 120, 140}), 3);
  EXPECT_NEAR(RangeOf(base.tested[0]), RangeOf(base.shown), 0.15 * RangeOf(base.shown));
  EXPECT_NEAR(base.damping, next.damping, 0.1);
}

TEST(SideSummaryTest, DoesNotDampMeans) {
  const auto [base, next] =
      SummarizeSides(Statistic::kLatencyMean, Of({10, 20, 15, 3000, 4000}), 3);
  EXPECT_EQ(base.tested[0], base.shown);
  EXPECT_EQ(next.tested[0], next.shown);
}

TEST(SideSummaryTest, LeavesOutCapturesWithoutValue) {
  Observations captures = Of({10, 20, 30, 40});
  captures[1].reset();
  const auto [base, next] = SummarizeSides(Statistic::kCpuRate, captures, 2);
  EXPECT_EQ(base.shown.size(), 1u);
  EXPECT_EQ(next.shown.size(), 2u);
}

}  // namespace
}  // namespace comparison
