// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace comparison {
namespace {

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
