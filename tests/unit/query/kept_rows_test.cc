// SPDX-License-Identifier: BSD-2-Clause
#include "query/kept_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/query/cells.h"

namespace query {
namespace {

using tables::Cell;
using tables::Table;

constexpr uint64_t kColumns = 1 << tables::requests::kId | 1 << tables::requests::kName;

using testing::Number;
using testing::Text;

// Rows of requests: id and name. The first is NULL where `id` is negative.
void Add(KeptRows& rows, int64_t id, std::string_view name) {
  Cell row[2] = {Number(id), Text(name)};
  if (id < 0) row[0].SetNull();
  EXPECT_TRUE(rows.Add(row, 100 + id));
}

std::vector<std::string> NamesOf(const KeptRows& rows, KeptRows::Range range) {
  std::vector<std::string> names;
  Cell row[2];
  for (size_t i = range.from; i < range.to; ++i) {
    rows.Read(KeptRows::Order::kKey, i, row);
    names.emplace_back(row[1].view());
  }
  return names;
}

TEST(KeptRowsTest, FindsRowsByNumber) {
  KeptBudget budget;
  KeptRows rows(Table::kRequests, kColumns, tables::requests::kId, 0, budget);
  for (const int64_t id : {5, 3, -1, 5, 9}) Add(rows, id, std::to_string(id));
  rows.Seal();
  using Names = std::vector<std::string>;
  EXPECT_EQ(NamesOf(rows, rows.Equal(Number(5))), (Names{"5", "5"}));
  EXPECT_EQ(NamesOf(rows, rows.Equal(Number(4))), Names{});
  EXPECT_EQ(NamesOf(rows, rows.Equal(Cell())), Names{});
  Cell real;
  real.Set(3.0);
  EXPECT_EQ(NamesOf(rows, rows.Equal(real)), Names{"3"});
  real.Set(3.5);
  EXPECT_EQ(NamesOf(rows, rows.Equal(real)), Names{});
  EXPECT_EQ(NamesOf(rows, rows.Between(4, 9)), (Names{"5", "5", "9"}));
  EXPECT_EQ(NamesOf(rows, rows.Between(9, 4)), Names{});
  // In order, with their ids.
  Cell row[2];
  EXPECT_EQ(rows.All().to, 5U);
  EXPECT_EQ(rows.Read(KeptRows::Order::kScan, 1, row), 103);
  EXPECT_EQ(row[0].integer, 3);
  rows.Read(KeptRows::Order::kScan, 2, row);
  EXPECT_TRUE(row[0].is_null());
}

TEST(KeptRowsTest, FindsRowsByNumberAndTime) {
  KeptBudget budget;
  KeptRows rows(Table::kRequests, kColumns | 1 << tables::requests::kTs, tables::requests::kId, 0,
                budget);
  for (int i = 0; i < 100; ++i) {
    const Cell row[3] = {Number(i % 2), Text("x"), Number(i * 10)};
    EXPECT_TRUE(rows.Add(row, i));
  }
  rows.Seal();
  const KeptRows::Range range = rows.Equal(Number(1), 30, 70);
  ASSERT_EQ(range.to - range.from, 3U);
  Cell row[3];
  EXPECT_EQ(rows.Read(KeptRows::Order::kKey, range.from, row), 3);
  EXPECT_EQ(rows.Read(KeptRows::Order::kKey, range.to - 1, row), 7);
  EXPECT_EQ(rows.Equal(Number(1)).to - rows.Equal(Number(1)).from, 50U);
}

TEST(KeptRowsTest, FindsRowsByText) {
  KeptBudget budget;
  KeptRows rows(Table::kRequests, kColumns, tables::requests::kName, 0, budget);
  for (int i = 0; i < 100; ++i) Add(rows, i, std::string(static_cast<size_t>(i % 10), 'x'));
  rows.Seal();
  EXPECT_EQ(NamesOf(rows, rows.Equal(Text("xxx"))), std::vector<std::string>(10, "xxx"));
  EXPECT_TRUE(NamesOf(rows, rows.Equal(Text("y"))).empty());
}

TEST(KeptRowsTest, GivesBackItsRoom) {
  KeptBudget budget{.free = size_t{1} << 20};
  {
    KeptRows rows(Table::kRequests, kColumns, tables::requests::kId, 0, budget);
    const std::string name(1000, 'x');
    int added = 0;
    for (Cell row[2] = {Number(1), Text(name)}; rows.Add(row, added) && added < 5000;) ++added;
    EXPECT_GT(added, 500);
    EXPECT_LT(added, 1024);
  }
  EXPECT_EQ(budget.free, size_t{1} << 20);
}

}  // namespace
}  // namespace query
