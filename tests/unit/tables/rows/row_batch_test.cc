// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/row_batch.h"

#include <gtest/gtest.h>

#include <string>

namespace tables {
namespace {

TEST(RowBatchTest, CutsTextsBeyondTheBudget) {
  TextBudget texts;
  RowBatch batch(Table::kLogs, kAllColumns, {}, texts);
  const std::string text(400, 'x');
  EXPECT_EQ(batch.Keep(text), text);
  EXPECT_EQ(batch.KeepClean(text), text);
  while (texts.Take(text.size())) {
  }
  const uint64_t cut = texts.cut();
  EXPECT_EQ(batch.Keep(text), text.substr(0, TextBudget::kShort));
  EXPECT_EQ(batch.KeepClean(text), text.substr(0, TextBudget::kShort));
  EXPECT_EQ(batch.Keep("short"), "short");
  EXPECT_EQ(texts.cut(), cut + 2);
}

}  // namespace
}  // namespace tables
