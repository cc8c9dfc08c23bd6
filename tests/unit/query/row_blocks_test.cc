// SPDX-License-Identifier: BSD-2-Clause
#include "query/row_blocks.h"

#include <gtest/gtest.h>

#include "unit/columns/columns_of.h"

namespace query {
namespace {

TEST(TableRowBlocksTest, HaveAllRowsOfTheTable) {
  columns::testing::MixedTrace trace(800'000);
  const std::shared_ptr<const columns::ColumnFile> file = columns::testing::FileOf(trace.bytes());
  TableRowBlocks blocks(file, tables::Table::kSlices, nullptr);
  size_t rows = 0;
  int64_t first = INT64_MAX;
  while (blocks.Next()) {
    columns::ColumnValues values;
    EXPECT_FALSE(blocks.Read(static_cast<uint8_t>(InfoOf(tables::Table::kSlices).columns.size()),
                             values));  // a window
    ASSERT_TRUE(blocks.Read(tables::slices::kTs, values));
    EXPECT_EQ(values.rows, blocks.rows());
    rows += blocks.rows();
    for (const int64_t time : values.values) first = std::min(first, time);
    const ColumnCondition never{
        .kind = ColumnCondition::Kind::kFromTo, .column = tables::slices::kTs, .to = -1};
    EXPECT_TRUE(blocks.MeetsNone(never));
  }
  EXPECT_EQ(rows, file->table(tables::Table::kSlices).rows);
  EXPECT_GT(file->table(tables::Table::kSlices).blocks(), 0U);
  EXPECT_EQ(first, 100);
}

}  // namespace
}  // namespace query
