// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/moderated_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "compare/statistics/moderated_test.h"

namespace comparison {
namespace {

constexpr double kNear = 1e-9;

TEST(ModeratedTest, MatchesAWorkedExample) {
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

TEST(ModeratedTest, IsTheOrdinaryTestWithoutEffectAndPrior) {
  const std::vector<double> base = {3, 4, 5, 6};
  const std::vector<double> next = {6, 7, 8, 9};
  // t = 3 / sqrt(5/3 * 2/4) = 3.2863 with 6 degrees: two-sided p 0.01668 (R's t.test).
  EXPECT_NEAR(CompareModerated(base, next, {}, {0, 0}, 0).p, 0.01668, 5e-5);
}

TEST(ModeratedTest, PairsRemoveCommonVariation) {
  const std::vector<double> base = {1, 5, 9};
  const std::vector<double> next = {2.1, 6, 9.9};
  const Pairs pairs = {{0, 0}, {1, 1}, {2, 2}};
  // Differences 1.1, 1.0, 0.9: squares 0.02, half of them 0.01 over 2 degrees.
  const SampleVariance spread = PooledVariance(base, next, pairs);
  EXPECT_NEAR(spread.variance, 0.005, kNear);
  EXPECT_NEAR(spread.degrees, 2, kNear);
  EXPECT_LT(CompareModerated(base, next, pairs, {0.01, 6}, 0.1).p, 0.001);
  EXPECT_GT(CompareModerated(base, next, {}, {0.01, 6}, 0.1).p, 0.2);
}

TEST(ModeratedTest, ChangeOfTheLeastEffectIsNotSignificant) {
  const std::vector<double> base = {0, 0.01, -0.01, 0.005};
  std::vector<double> next = base;
  for (double& value : next) value += 0.0953;
  EXPECT_GE(CompareModerated(base, next, {}, {0.01, 6}, 0.0953).p, 0.5);
}

TEST(ModeratedTest, OneCaptureASideHasTheVarianceOfThePrior) {
  const Comparison result =
      CompareModerated(std::vector{1.0}, std::vector{3.0}, {}, {0.04, 6}, 0.1);
  EXPECT_NEAR(result.variance, 0.04, kNear);
  EXPECT_NEAR(result.degrees, 6, kNear);
  EXPECT_LT(result.p, 0.001);
}

TEST(ModeratedTest, LogVarianceRatioIsUnbiased) {
  EXPECT_NEAR(LogVarianceRatio({0.04, 1000}, 0.01), std::log(4), 0.01);
  // Few values lie closer together than they would on the average.
  EXPECT_GT(LogVarianceRatio({0.01, 2}, 0.01), 0.3);
  EXPECT_NEAR(LogVarianceRatio({0, 4}, 0.01), -2 * std::log(kNoisiest), kNear);
  EXPECT_NEAR(LogVarianceRatio({1e9, 4}, 0.01), 2 * std::log(kNoisiest), kNear);
}

TEST(ModeratedTest, EqualValuesWithoutVarianceAreNoChange) {
  const std::vector<double> same = {1, 1, 1};
  EXPECT_EQ(CompareModerated(same, same, {}, {0, 0.5}, 0.1).p, 1);
}

TEST(StudentTTest, KnownValues) {
  // One degree of freedom is Cauchy's distribution.
  EXPECT_NEAR(StudentTail(1, 1), 0.25, 1e-12);
  EXPECT_NEAR(StudentTail(0, 7), 0.5, 1e-12);
  // Two: 1/2 - t / (2 sqrt(2 + t^2)).
  EXPECT_NEAR(StudentTail(3, 2), 0.5 - 3 / (2 * std::sqrt(11.0)), 1e-12);
  EXPECT_NEAR(StudentTail(-3, 2), 0.5 + 3 / (2 * std::sqrt(11.0)), 1e-12);
  // Printed tables.
  EXPECT_NEAR(StudentQuantile(0.025, 10), 2.228, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.001, 14), 3.787, 5e-4);
}

TEST(StudentTTest, TheTailsOfInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(StudentTail(infinity, 3), 0);
  EXPECT_EQ(StudentTail(-infinity, 3), 1);
}

}  // namespace
}  // namespace comparison
