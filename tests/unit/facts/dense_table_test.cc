// SPDX-License-Identifier: BSD-2-Clause
#include "facts/dense_table.h"

#include <gtest/gtest.h>

#include <utility>

namespace facts {
namespace {

TEST(DenseTableTest, UnusedEntriesHaveTheDefault) {
  DenseTable<int> table;
  EXPECT_EQ(table.size(), 0u);
  table.At(3) = 7;
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table.At(2), 0);
  EXPECT_EQ(table[3], 7);
  EXPECT_EQ(table.size(), 4u);
}

TEST(DenseTableTest, NewEntriesHaveTheDefaultAndOldOnesAreKept) {
  DenseTable<int> table;
  table.At(1) = 5;
  EXPECT_EQ(table.At(0, 9), 0);
  EXPECT_EQ(table.At(3, 9), 9);
  EXPECT_EQ(table.values(), (std::vector<int>{0, 5, 9, 9}));
}

TEST(DenseTableTest, AMoveTakesAllEntries) {
  DenseTable<DenseTable<int>> lanes;
  lanes.At(0).At(2) = 4;
  // The tables inside move to another place.
  for (size_t i = 1; i < 100; ++i) lanes.At(i).At(0) = 1;
  EXPECT_EQ(lanes[0].At(2), 4);
  DenseTable<int> taken = std::move(lanes[0]);
  EXPECT_EQ(taken.At(2), 4);
  EXPECT_EQ(lanes[0].size(), 0u);
}

}  // namespace
}  // namespace facts
