// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/text_budget.h"

#include <gtest/gtest.h>

namespace tables {
namespace {

TEST(TextBudgetTest, GrowsWithWhatWasRead) {
  TextBudget budget;
  constexpr size_t kText = size_t{1} << 20;
  for (uint64_t i = 0; i < TextBudget::kStart / kText; ++i) ASSERT_TRUE(budget.Take(kText));
  EXPECT_FALSE(budget.Take(kText));
  EXPECT_TRUE(budget.Take(TextBudget::kShort));
  EXPECT_EQ(budget.cut(), 1u);
  budget.OnRead(kText);
  for (uint64_t i = 0; i < TextBudget::kPerByte; ++i) EXPECT_TRUE(budget.Take(kText));
  EXPECT_FALSE(budget.Take(kText));
  budget.OnRead(0);
  EXPECT_FALSE(budget.Take(kText));
  EXPECT_EQ(budget.cut(), 3u);
}

}  // namespace
}  // namespace tables
