// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_sets.h"

#include <gtest/gtest.h>

#include <span>

#include "tables/fact_rows.h"

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
  EXPECT_EQ(SetsOf(Table::kWaits, parts | 1),
            BitOf(ColumnSet::kBase) | BitOf(ColumnSet::kWaitParts));
  EXPECT_EQ(SetsOf(Table::kPath, 1), BitOf(ColumnSet::kPaths));
  // Rows without columns are those of one set.
  EXPECT_EQ(SetsOf(Table::kRequests, 0), BitOf(ColumnSet::kPaths));
  EXPECT_EQ(SetsOf(Table::kWaits, 0), BitOf(ColumnSet::kBase));
}

// Otherwise the rows of a cache are made cell by cell, which takes a fifth longer.
TEST(ColumnSetsTest, TheRowsOfACacheAreThoseThatTheCompilerKnows) {
  const auto known = [](std::span<const uint8_t> columns) {
    uint64_t bits = 0;
    for (const uint8_t column : columns) bits |= uint64_t{1} << column;
    return bits;
  };
  // The columns that are in no group, but for the one that has no rows of its own, and the groups.
  const auto asked = [](Table table) {
    const tables::TableInfo& info = tables::InfoOf(table);
    uint64_t bits = ColumnsIn(BitOf(ColumnSet::kBase), table) & AllOf(info);
    for (size_t i = 0; i < info.columns.size(); ++i) {
      if (info.columns[i].name == "dur") bits &= ~(uint64_t{1} << i);
    }
    for (size_t group = 0; group < tables::GroupsOf(table).size(); ++group) {
      bits |= uint64_t{1} << (tables::kFirstGroup + group);
      for (const auto& member : tables::GroupsOf(table)[group].members)
        bits &= ~(uint64_t{1} << member.column);
    }
    return bits;
  };
  EXPECT_EQ(known(tables::FactRows::kCachedSlices), asked(Table::kSlices));
  EXPECT_EQ(known(tables::FactRows::kCachedWaits), asked(Table::kWaits));
  EXPECT_EQ(known(tables::FactRows::kCachedWakeups), asked(Table::kWakeups));
}

}  // namespace
}  // namespace columns
