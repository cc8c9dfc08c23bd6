// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/multiple_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace comparison {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(MultipleTestsTest, Simes) {
  EXPECT_EQ(Simes({}), 1);
  EXPECT_DOUBLE_EQ(Simes(std::vector{0.3}), 0.3);
  // 4 * 0.04 / 1, 4 * 0.03 ... ascending: .01*4, .03*2, .04*4/3, .5.
  EXPECT_DOUBLE_EQ(Simes(std::vector{0.5, 0.04, 0.01, 0.03}), 0.04);
  EXPECT_DOUBLE_EQ(Simes(std::vector{0.02, 0.02}), 0.02);
}

TEST(MultipleTestsTest, FalseDiscoveryRates) {
  // The example of Benjamini and Hochberg (1995), the first six of 15: four are found at 0.05.
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const auto rates = FalseDiscoveryRates(p);
  size_t found = 0;
  for (const double rate : rates) found += rate <= 0.05;
  EXPECT_EQ(found, 4U);
  EXPECT_NEAR(rates[3], 0.0095 * 15 / 4, 1e-12);
  EXPECT_EQ(rates[14], 1);
}

TEST(MultipleTestsTest, RatesKeepTheOrderOfThePValues) {
  EXPECT_THAT(
      FalseDiscoveryRates(std::vector{0.9, 0.01, 0.02}),
      ElementsAre(DoubleNear(0.9, 1e-12), DoubleNear(0.03, 1e-12), DoubleNear(0.03, 1e-12)));
  EXPECT_TRUE(FalseDiscoveryRates({}).empty());
}

}  // namespace
}  // namespace comparison
