// SPDX-License-Identifier: BSD-2-Clause
#include "query/row_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "unit/query/cells.h"

namespace query {
namespace {

using tables::Cell;
using testing::Number;
using testing::Text;

// All rows of a value come one after the other, and none is lost: with more groups than are kept
// apart at a time, and more rows than stay in memory.
void CheckRandom(uint64_t groups, int rows) {
  RowGroups made(9, {1});
  std::mt19937_64 random(7);
  std::map<int64_t, std::multiset<int64_t>> expected;
  for (int i = 0; i < rows; ++i) {
    const auto key = static_cast<int64_t>(random() % groups) - 3;
    const auto value = static_cast<int64_t>(random() >> random() % 64);
    const Cell same = Number(value);
    const Cell row[] = {same, Number(key), Cell{}, same, same, same, same, same, same};
    ASSERT_TRUE(made.Add(row));
    expected[key].insert(value);
  }
  made.Seal();
  std::set<int64_t> finished;
  int64_t current = INT64_MIN;
  std::multiset<int64_t> values;
  const auto end_group = [&] {
    if (current == INT64_MIN) return;
    EXPECT_EQ(values, expected[current]);
    EXPECT_TRUE(finished.insert(current).second) << current;
    values.clear();
  };
  for (;;) {
    const auto row = made.Next();
    ASSERT_TRUE(row) << row.error().message;
    if (*row == nullptr) break;
    if ((*row)[1].integer != current) {
      end_group();
      current = (*row)[1].integer;
    }
    values.insert((*row)[0].integer);
    EXPECT_TRUE((*row)[2].is_null());
    EXPECT_EQ((*row)[8].integer, (*row)[0].integer);
  }
  end_group();
  EXPECT_EQ(finished.size(), expected.size());
}

TEST(RowGroupsTest, FewGroups) { CheckRandom(5, 1000); }
TEST(RowGroupsTest, MoreThanFitsIntoMemory) { CheckRandom(10, 300'000); }
TEST(RowGroupsTest, MoreGroupsThanARoundHas) { CheckRandom(3 * RowGroups::kMaxGroups, 100'000); }

TEST(RowGroupsTest, KeysAreInOrder) {
  const std::string b = "b";
  const std::string a = "a";
  RowGroups made(2, {1, 0});
  for (const Cell& first : {Number(2), Number(-1), Cell{}}) {
    for (const Cell& second : {Text(b), Cell{}, Text(a)}) {
      const Cell row[] = {first, second};
      ASSERT_TRUE(made.Add(row));
      ASSERT_TRUE(made.Add(row));
    }
  }
  made.Seal();
  std::string order;
  while (const Cell* row = *made.Next()) {
    order += row[1].is_null() ? "-" : std::string(row[1].view());
    order += row[0].is_null() ? "- " : std::to_string(row[0].integer) + " ";
  }
  EXPECT_EQ(order, "-- -- --1 --1 -2 -2 a- a- a-1 a-1 a2 a2 b- b- b-1 b-1 b2 b2 ");
}

TEST(RowGroupsTest, NoRows) {
  RowGroups made(1, {0});
  made.Seal();
  EXPECT_EQ(*made.Next(), nullptr);
}

TEST(RowGroupsTest, EveryValueComesBack) {
  const std::string text = "text";
  RowGroups made(4, {0});
  const Cell row[] = {Number(1), Number(INT64_MIN), Number(INT64_MAX), Text(text)};
  ASSERT_TRUE(made.Add(row));
  made.Seal();
  const Cell* back = *made.Next();
  EXPECT_EQ(back[1].integer, INT64_MIN);
  EXPECT_EQ(back[2].integer, INT64_MAX);
  EXPECT_EQ(back[3].view(), "text");
}

}  // namespace
}  // namespace query
