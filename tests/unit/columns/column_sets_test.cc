// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_sets.h"

#include <gtest/gtest.h>

namespace columns {
namespace {

using tables::Table;

uint64_t AllOf(const tables::TableInfo& info) { return (uint64_t{1} << info.columns.size()) - 1; }

TEST(ColumnSetsTest, EachColumnIsInOneSet) {
  for (const tables::TableInfo& info : tables::Tables()) {
    uint64_t together = 0;
    for (unsigned set = 0; set < kColumnSets; ++set) {
      const uint64_t columns = ColumnsIn(1U << set, info.table) & AllOf(info);
      EXPECT_EQ(together & columns, 0U) << info.name;
      together |= columns;
    }
    EXPECT_EQ(together, AllOf(info)) << info.name;
  }
}

TEST(ColumnSetsTest, SetsAreThoseOfTheColumns) {
  const uint64_t parts = uint64_t{1} << tables::waits::kWeight;
  EXPECT_EQ(SetsOf(Table::kWaits, uint64_t{1} << tables::waits::kTs), BitOf(ColumnSet::kBase));
  EXPECT_EQ(SetsOf(Table::kWaits, parts), BitOf(ColumnSet::kWaitParts));
  EXPECT_EQ(SetsOf(Table::kWaits, parts | 1), BitOf(ColumnSet::kBase) | BitOf(ColumnSet::kWaitParts));
  EXPECT_EQ(SetsOf(Table::kPath, 1), BitOf(ColumnSet::kPaths));
  // Rows without columns are those of one set.
  EXPECT_EQ(SetsOf(Table::kRequests, 0), BitOf(ColumnSet::kPaths));
  EXPECT_EQ(SetsOf(Table::kWaits, 0), BitOf(ColumnSet::kBase));
}

}  // namespace
}  // namespace columns
