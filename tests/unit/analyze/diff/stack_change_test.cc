// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/stack_change.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TEST(StackChangeTest, SaysHowMuchPerRunOrSecond) {
  comparison::DiffReport report;
  const StackChange stack{.frames = {"nap"}, .innermost = "nap", .base = 2, .next = 30};
  EXPECT_EQ(StackWords(report, stack), "nap, 2.00 → 30.0 ms/s");
  report.per_run = true;
  report.seconds_per_run = 2;
  EXPECT_EQ(StackWords(report, stack), "nap, 4.00 → 60.0 ms/run");
}

}  // namespace
}  // namespace analyze
