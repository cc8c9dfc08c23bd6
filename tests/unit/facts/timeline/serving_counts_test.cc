// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/serving_counts.h"

#include <gtest/gtest.h>

namespace facts {
namespace {

TEST(ServingCountsTest, EachDirectionOfAPairIsCounted) {
  ServingCounts counts;
  counts.Add(1, 2);
  counts.Add(2, 1);
  counts.Add(2, 1);
  counts.Add(1, 3);
  EXPECT_EQ(counts.Of(1, 2).forward, 1u);
  EXPECT_EQ(counts.Of(1, 2).backward, 2u);
  EXPECT_EQ(counts.Of(2, 1).forward, 2u);
  EXPECT_EQ(counts.Of(2, 1).backward, 1u);
  EXPECT_EQ(counts.Of(3, 1).forward, 0u);
  EXPECT_EQ(counts.Of(3, 1).backward, 1u);
  EXPECT_EQ(counts.Of(2, 3).forward + counts.Of(2, 3).backward, 0u);
}

TEST(ServingCountsTest, PairsBeyondTheLimitHaveNoCounts) {
  ServingCounts counts;
  const auto last = static_cast<uint32_t>(ServingCounts::kMostPairs) + 1;
  for (uint32_t other = 2; other <= last + 1; ++other) counts.Add(1, other);
  for (uint32_t other = 2; other <= last; ++other) ASSERT_EQ(counts.Of(1, other).forward, 1u);
  EXPECT_EQ(counts.Of(1, last + 1).forward, 0u);
  counts.Add(1, last);
  EXPECT_EQ(counts.Of(1, last).forward, 2u);
}

}  // namespace
}  // namespace facts
