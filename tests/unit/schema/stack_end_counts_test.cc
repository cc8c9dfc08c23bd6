// SPDX-License-Identifier: BSD-2-Clause
#include "schema/stack_end_counts.h"

#include <gtest/gtest.h>

namespace schema {
namespace {

TEST(StackEndCountsTest, NamesFilesWhereTheEndIsOfAFile) {
  StackEndCounts counts;
  counts.Add(FXR_STACK_END_UNKNOWN);
  EXPECT_EQ(counts.all(), 0u);
  for (int i = 0; i < 3; ++i) counts.Add(FXR_STACK_END_ENTRY);
  for (int i = 0; i < 4; ++i) counts.Add(FXR_STACK_END_NO_TABLE, "libfoo.so");
  counts.Add(FXR_STACK_END_NO_TABLE);
  // Whatever file that is, it is not the reason.
  for (int i = 0; i < 2; ++i) counts.Add(FXR_STACK_END_DEEP, "libfoo.so");
  EXPECT_EQ(counts.all(), 10u);
  EXPECT_EQ(counts.early(), 7u);
  EXPECT_EQ(counts.of(FXR_STACK_END_NO_TABLE), 5u);
  EXPECT_EQ(counts.DescribeReasons(9),
            "libfoo.so has no unwind table there (4), more than 127 frames (2), "
            "code without an unwind table (1)");
  EXPECT_EQ(counts.DescribeReasons(1), "libfoo.so has no unwind table there (4), ...");
}

TEST(StackEndCountsTest, HasALimitOfFiles) {
  StackEndCounts counts;
  for (int i = 0; i < 10'000; ++i) counts.Add(FXR_STACK_END_RULE, "lib" + std::to_string(i));
  EXPECT_EQ(counts.early(), 10'000u);
  EXPECT_LT(counts.Reasons().size(), 5'000u);
  EXPECT_EQ(counts.Reasons().front().first, "an unsupported unwind rule");
}

}  // namespace
}  // namespace schema
