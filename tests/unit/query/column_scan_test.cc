// SPDX-License-Identifier: BSD-2-Clause
#include "query/column_scan.h"

#include <gtest/gtest.h>

#include "unit/columns/columns_of.h"

namespace query {
namespace {

using columns::testing::TextRows;
using tables::Table;

// The rows of a scan, and the numbers of these in their table.
struct ScannedRows {
  TextRows rows;
  std::vector<uint64_t> numbers;
};

ScannedRows RowsOf(std::shared_ptr<const columns::ColumnFile> file, const tables::RowFilter& filter,
                   std::vector<ColumnCondition> conditions) {
  tables::TextPool texts;
  ColumnScan scan(std::move(file), Table::kWaits, tables::kAllColumns, filter,
                  std::move(conditions), "trace", texts);
  ScannedRows made;
  for (;;) {
    const auto more = scan.Advance();
    EXPECT_TRUE(more.ok());
    if (!more || !*more) break;
    const tables::RowBatch& batch = scan.rows();
    for (size_t row = 0; row < batch.size(); ++row) {
      auto& cells = made.rows.emplace_back();
      for (size_t i = 0; i < batch.columns().size(); ++i) {
        cells.push_back(columns::testing::TextOf(batch.row(row)[i]));
      }
      made.numbers.push_back(scan.RowOf(row));
    }
  }
  return made;
}

TEST(ColumnScanTest, RowsAreThoseOfAScanOfTheTrace) {
  columns::testing::MixedTrace trace(800'000);
  const std::shared_ptr<const columns::ColumnFile> file = columns::testing::FileOf(trace.bytes());
  ASSERT_GT(file->table(Table::kWaits).blocks(), 1U);
  auto all = RowsOf(file, {}, {});
  for (size_t i = 0; i < all.numbers.size(); ++i) ASSERT_EQ(all.numbers[i], i);
  const TextRows in_order = all.rows;
  std::sort(all.rows.begin(), all.rows.end());
  EXPECT_EQ(all.rows, columns::testing::RowsOfScan(trace.bytes(), Table::kWaits));

  // Conditions and filters leave out all others, and numbers say which rows are left.
  const auto some = RowsOf(file, {.from = 300'000, .to = 500'000, .cpu = 0, .tid = std::nullopt},
                           {{.kind = ColumnCondition::Kind::kIn,
                             .column = tables::waits::kKind,
                             .is_text = true,
                             .numbers = {},
                             .texts = {"blocked"}}});
  EXPECT_GT(some.rows.size(), 100U);
  size_t expected = 0;
  for (const auto& row : in_order) {
    const int64_t ts = std::stoll(row[tables::waits::kTs]);
    expected += ts >= 300'000 && ts <= 500'000 && row[tables::waits::kCpu] == "0" &&
                        row[tables::waits::kKind] == "'blocked'"
                    ? 1
                    : 0;
  }
  ASSERT_EQ(some.rows.size(), expected);
  for (size_t i = 0; i < some.rows.size(); ++i) {
    EXPECT_EQ(some.rows[i], in_order[some.numbers[i]]);
  }
}

TEST(ColumnScanTest, ConditionsThatNoRowMeetsLeaveNone) {
  columns::testing::MixedTrace trace;
  const std::shared_ptr<const columns::ColumnFile> file = columns::testing::FileOf(trace.bytes());
  EXPECT_TRUE(RowsOf(file, {.from = 5, .to = 6, .cpu = std::nullopt, .tid = std::nullopt}, {})
                  .rows.empty());
  EXPECT_TRUE(RowsOf(file, {.cpu = std::nullopt, .tid = 12345}, {}).rows.empty());
}

}  // namespace
}  // namespace query
