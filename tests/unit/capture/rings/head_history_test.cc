// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/head_history.h"

#include <gtest/gtest.h>

#include <vector>

namespace capture {
namespace {

TEST(HeadHistoryTest, DatesASlotByTheFirstSampleThatHasIt) {
  HeadHistory history;
  EXPECT_TRUE(history.IsDue(1));
  history.Add({1'000, {0, 5}});
  EXPECT_FALSE(history.IsDue(2'000));
  EXPECT_TRUE(history.IsDue(1'000 + HeadHistory::kInterval));
  history.Add({2'000, {3, 5}});
  history.Add({3'000, {9, 8}});
  EXPECT_EQ(history.Near(0, 2, 9'000), 2'000u);
  EXPECT_EQ(history.Near(0, 3, 9'000), 3'000u);
  EXPECT_EQ(history.Near(0, 9, 9'000), 9'000u);
  EXPECT_EQ(history.Near(1, 4, 9'000), 1'000u);
}

TEST(HeadHistoryTest, PrunesSamplesWithoutSlots) {
  HeadHistory history;
  for (uint64_t i = 1; i <= 4; ++i) history.Add({i, {i, 10 * i}});
  history.Prune(std::vector<uint64_t>{2, 15});
  ASSERT_EQ(history.samples().size(), 3u);
  EXPECT_EQ(history.samples().front().time, 2u) << "ring 1 has slots between 15 and 20";
  history.Prune(std::vector<uint64_t>{100, 100});
  EXPECT_EQ(history.samples().size(), 1u) << "the last one says when the next is due";
}

}  // namespace
}  // namespace capture
