// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_sums.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/query/sqlite_copy.h"

namespace query {
namespace {

using columns::testing::TextRows;
using tables::Table;

// Groups as text.
std::optional<TextRows> Summed(std::string_view statement, const columns::ColumnFile& file) {
  size_t last = 0;
  const auto selects = FindGroups(statement, last);
  if (selects.size() != 1) return std::nullopt;
  const GroupInput input{.table =
                             [&](Table, uint64_t) {
                               return std::shared_ptr<const columns::ColumnFile>(
                                   std::shared_ptr<void>(), &file);
                             },
                         .load = nullptr,
                         .cancelled = nullptr};
  const auto groups = SumGroups(selects[0].query, input);
  if (!groups) return std::nullopt;
  TextRows rows;
  for (size_t at = 0; at < groups->cells.size(); at += groups->width) {
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < groups->width; ++i) {
      row.push_back(columns::testing::TextOf(groups->cells[at + i]));
    }
  }
  return rows;
}

TEST(GroupSumsTest, SumsAreThoseOfTheRows) {
  columns::testing::MixedTrace trace(800'000);
  const auto file = columns::testing::FileOf(trace.bytes());
  struct Sums {
    int64_t count = 0, sum = 0, least = INT64_MAX, most = INT64_MIN;
  };
  std::map<std::string, Sums> expected;
  for (const auto& row : columns::testing::RowsOfScan(trace.bytes(), Table::kSlices)) {
    if (row[tables::slices::kCpu] != "0") continue;
    Sums& sums = expected[row[tables::slices::kThread]];
    const int64_t length = std::stoll(row[tables::slices::kLength]);
    ++sums.count;
    sums.sum += length;
    sums.least = std::min(sums.least, length);
    sums.most = std::max(sums.most, length);
  }
  TextRows rows;
  for (const auto& [thread, sums] : expected) {
    rows.push_back({thread, std::to_string(sums.count), std::to_string(sums.sum),
                    std::to_string(sums.least), std::to_string(sums.most)});
  }
  EXPECT_EQ(Summed("SELECT thread, count(*), sum(length), min(length), max(length) FROM slices "
                   "WHERE cpu = 0 GROUP BY thread",
                   *file),
            rows);
}

TEST(GroupSumsTest, NoRowsAreOneGroupWithoutKeysAndNoneWithThem) {
  columns::testing::MixedTrace trace;
  const auto file = columns::testing::FileOf(trace.bytes());
  EXPECT_EQ(Summed("SELECT count(*), sum(length) FROM slices WHERE cpu = 99", *file),
            (TextRows{{"0", "NULL"}}));
  EXPECT_EQ(Summed("SELECT cpu, count(*) FROM slices WHERE cpu = 99 GROUP BY cpu", *file),
            TextRows());
}

TEST(GroupSumsTest, TheLastOfTheFirstRows) {
  columns::testing::MixedTrace trace;
  const auto file = columns::testing::FileOf(trace.bytes());
  const auto tops = FindTops("SELECT ts FROM slices ORDER BY ts LIMIT 3");
  ASSERT_EQ(tops.size(), 1U);
  std::vector<int64_t> times;
  for (const auto& row : columns::testing::RowsOfScan(trace.bytes(), Table::kSlices)) {
    times.push_back(std::stoll(row[tables::slices::kTs]));
  }
  std::sort(times.begin(), times.end());
  EXPECT_EQ(LastOfTop(tops[0], *file, nullptr), times[2]);
  EXPECT_FALSE(LastOfTop(tops[0], *file, [] { return true; }));
}

}  // namespace
}  // namespace query
