// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/moderated_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "compare/statistics/student_t.h"

namespace comparison {
namespace {

constexpr double kNear = 1e-9;

TEST(ModeratedTest, AWorkedExample) {
  const std::vector<double> base = {1.0, 1.2, 0.8};
  const std::vector<double> next = {2.0, 2.4, 2.2};
  // Squares: 0.08 and 0.08, 4 degrees: 0.04. With 6 degrees of 0.09: (0.16 + 0.54) / 10 = 0.07.
  const Comparison result = CompareModerated(base, next, {}, {0.09, 6}, 0.2);
  EXPECT_NEAR(result.difference, 1.2, kNear);
  EXPECT_NEAR(result.variance, 0.07, kNear);
  EXPECT_NEAR(result.degrees, 10, kNear);
  const double error = std::sqrt(0.07 * 2 / 3);
  EXPECT_NEAR(result.error, error, kNear);
  EXPECT_NEAR(result.p, StudentTail(1.0 / error, 10) + StudentTail(1.4 / error, 10), kNear);
  // 95%: t of 10 degrees is 2.228 (tables).
  EXPECT_NEAR(result.High(0.95), 1.2 + 2.228139 * error, 1e-5);
  EXPECT_NEAR(result.Low(0.95), 1.2 - 2.228139 * error, 1e-5);
}

TEST(ModeratedTest, WithoutEffectAndPriorItIsTheOrdinaryTest) {
  const std::vector<double> base = {3, 4, 5, 6};
  const std::vector<double> next = {6, 7, 8, 9};
  // t = 3 / sqrt(5/3 * 2/4) = 3.2863 with 6 degrees: two-sided p 0.01668 (R's t.test).
  EXPECT_NEAR(CompareModerated(base, next, {}, {0, 0}, 0).p, 0.01668, 5e-5);
}

TEST(ModeratedTest, PairsTakeWhatBothHaveInCommonOut) {
  const std::vector<double> base = {1, 5, 9};
  const std::vector<double> next = {2.1, 6, 9.9};
  const Pairs pairs = {{0, 0}, {1, 1}, {2, 2}};
  // Differences 1.1, 1.0, 0.9: squares 0.02, half of them 0.01 over 2 degrees.
  const Spread spread = SpreadOf(base, next, pairs);
  EXPECT_NEAR(spread.variance, 0.005, kNear);
  EXPECT_NEAR(spread.degrees, 2, kNear);
  EXPECT_LT(CompareModerated(base, next, pairs, {0.01, 6}, 0.1).p, 0.001);
  EXPECT_GT(CompareModerated(base, next, {}, {0.01, 6}, 0.1).p, 0.2);
}

TEST(ModeratedTest, AChangeOfTheLeastEffectIsNone) {
  const std::vector<double> base = {0, 0.01, -0.01, 0.005};
  std::vector<double> next = base;
  for (double& value : next) value += 0.0953;
  EXPECT_GE(CompareModerated(base, next, {}, {0.01, 6}, 0.0953).p, 0.5);
}

TEST(ModeratedTest, ASingleCaptureASideHasThePrior) {
  const Comparison result =
      CompareModerated(std::vector{1.0}, std::vector{3.0}, {}, {0.04, 6}, 0.1);
  EXPECT_NEAR(result.variance, 0.04, kNear);
  EXPECT_NEAR(result.degrees, 6, kNear);
  EXPECT_LT(result.p, 0.001);
}

TEST(ModeratedTest, TheMeanLogRatioIsThatOfTheVariances) {
  EXPECT_NEAR(MeanLogRatio({0.04, 1000}, 0.01), std::log(4), 0.01);
  // Few values lie closer together than they would on the average.
  EXPECT_GT(MeanLogRatio({0.01, 2}, 0.01), 0.3);
  EXPECT_NEAR(MeanLogRatio({0, 4}, 0.01), -5, kNear);
  EXPECT_NEAR(MeanLogRatio({1e9, 4}, 0.01), 5, kNear);
}

TEST(ModeratedTest, EqualValuesWithoutSpreadDoNotChange) {
  const std::vector<double> same = {1, 1, 1};
  EXPECT_EQ(CompareModerated(same, same, {}, {0, 0.5}, 0.1).p, 1);
}

}  // namespace
}  // namespace comparison
