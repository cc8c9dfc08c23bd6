// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/text_budget.h"

#include <gtest/gtest.h>

#include <string>

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

TEST(TextBudgetTest, CutsBetweenCharacters) {
  TextBudget budget;
  const std::string text(TextBudget::kStart + 1 - TextBudget::kShort, 'x');
  EXPECT_EQ(budget.Fit(text), text);
  std::string name(TextBudget::kShort - 1, 'n');
  EXPECT_EQ(budget.Fit(name + "\u00fc and more"), name);
  EXPECT_EQ(budget.Fit(name + "n and more"), name + "n");
  // Bytes of no text at all.
  EXPECT_EQ(budget.Fit(std::string(TextBudget::kShort + 1, '\xbf')), "");
  EXPECT_EQ(budget.Fit(name), name);
  EXPECT_EQ(budget.cut(), 3u);
}

}  // namespace
}  // namespace tables
