// SPDX-License-Identifier: BSD-2-Clause
#include "query/relation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/query/cells.h"

namespace query {
namespace {

using tables::Cell;
using testing::Number;
using testing::Text;

std::vector<uint32_t> RowsOf(const Relation& relation, Relation::Range range) {
  std::vector<uint32_t> rows;
  for (uint32_t place = range.from; place < range.to; ++place)
    rows.push_back(relation.RowAt(place));
  return rows;
}

TEST(RelationTest, RowsAreFoundByNumbersAndTexts) {
  Relation relation(2);
  for (const auto& [number, text] :
       std::vector<std::pair<int64_t, std::string>>{{7, "x"}, {5, "y"}, {7, "y"}, {6, "x"}}) {
    ASSERT_TRUE(relation.Add(std::vector<Cell>{Number(number), Text(text)}));
  }
  ASSERT_TRUE(relation.Add(std::vector<Cell>{Cell(), Cell()}));
  relation.Seal();
  EXPECT_EQ(relation.rows(), 5U);
  ASSERT_TRUE(relation.OrderBy(0));
  EXPECT_FALSE(relation.is_of_texts());
  EXPECT_EQ(RowsOf(relation, relation.Equal(7)), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(RowsOf(relation, relation.Between(6, 100)), (std::vector<uint32_t>{3, 0, 2}));
  EXPECT_TRUE(RowsOf(relation, relation.Between(8, 7)).empty());
  ASSERT_TRUE(relation.OrderBy(1));
  EXPECT_TRUE(relation.is_of_texts());
  EXPECT_EQ(RowsOf(relation, relation.Equal(relation.NumberOf("y"))),
            (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(relation.NumberOf("z"), -1);
}

TEST(RelationTest, NumbersAmongTextsHaveNoOrder) {
  Relation relation(1);
  ASSERT_TRUE(relation.Add(std::vector<Cell>{Number(7)}));
  ASSERT_TRUE(relation.Add(std::vector<Cell>{Text("x")}));
  relation.Seal();
  EXPECT_FALSE(relation.OrderBy(0));
}

TEST(RelationTest, TakesBoundedMemory) {
  Relation relation(1);
  const std::string text(1 << 20, 'x');
  size_t rows = 0;
  while (relation.Add(std::vector<Cell>{Text(text + std::to_string(rows))})) ++rows;
  EXPECT_LE(rows, Relation::kMaxBytes >> 20);
}

}  // namespace
}  // namespace query
