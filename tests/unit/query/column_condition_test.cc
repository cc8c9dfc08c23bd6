// SPDX-License-Identifier: BSD-2-Clause
#include "query/column_condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace query {
namespace {

using Kind = ColumnCondition::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 10, NULL, 30, 20.
columns::ColumnValues Numbers() {
  columns::ColumnValues values;
  values.rows = 4;
  values.values = {10, 0, 30, 20};
  for (const auto kind : {tables::Cell::Kind::kInteger, tables::Cell::Kind::kNull,
                          tables::Cell::Kind::kInteger, tables::Cell::Kind::kInteger}) {
    values.kinds.push_back(static_cast<uint8_t>(kind));
  }
  return values;
}

std::vector<uint32_t> Chosen(const ColumnCondition& condition,
                             const columns::ColumnValues& values) {
  std::vector<uint32_t> rows = {0, 1, 2, 3};
  EXPECT_TRUE(Choose(condition, values, rows));
  return rows;
}

TEST(ColumnConditionTest, NullMeetsIsNullAlone) {
  EXPECT_THAT(Chosen({.kind = Kind::kIsNull}, Numbers()), ElementsAre(1));
  EXPECT_THAT(Chosen({.kind = Kind::kIsNotNull}, Numbers()), ElementsAre(0, 2, 3));
  EXPECT_THAT(Chosen({.kind = Kind::kFromTo}, Numbers()), ElementsAre(0, 2, 3));
  EXPECT_THAT(Chosen({.kind = Kind::kNotIn, .numbers = {10}}, Numbers()), ElementsAre(2, 3));
}

TEST(ColumnConditionTest, RangesAndLists) {
  EXPECT_THAT(Chosen({.kind = Kind::kFromTo, .from = 20, .to = 30}, Numbers()), ElementsAre(2, 3));
  EXPECT_THAT(Chosen({.kind = Kind::kIn, .numbers = {30, 10}}, Numbers()), ElementsAre(0, 2));
  EXPECT_THAT(Chosen({.kind = Kind::kIn}, Numbers()), IsEmpty());
}

TEST(ColumnConditionTest, Texts) {
  columns::ColumnValues values;
  values.rows = 4;
  values.kind = tables::Cell::Kind::kText;
  values.texts = {"irq", "sched"};
  values.values = {1, 0, 1, 0};
  EXPECT_THAT(Chosen({.kind = Kind::kIn, .is_text = true, .texts = {"sched"}}, values),
              ElementsAre(0, 2));
  EXPECT_THAT(Chosen({.kind = Kind::kNotIn, .is_text = true, .texts = {"sched"}}, values),
              ElementsAre(1, 3));
}

TEST(ColumnConditionTest, ValuesOfAnotherTypeAreLeftToSqlite) {
  std::vector<uint32_t> rows = {0, 1, 2, 3};
  EXPECT_FALSE(Choose({.kind = Kind::kIn, .is_text = true, .texts = {"10"}}, Numbers(), rows));
  EXPECT_EQ(rows.size(), 4u);
}

TEST(ColumnConditionTest, ABlockOutsideOfARangeMeetsNone) {
  const columns::BlockEntry block{.low = 10,
                                  .high = 30,
                                  .encoding = columns::Encoding::kValues,
                                  .kind = tables::Cell::Kind::kInteger};
  EXPECT_TRUE(MeetsNone({.kind = Kind::kFromTo, .from = 31}, block));
  EXPECT_TRUE(MeetsNone({.kind = Kind::kFromTo, .to = 9}, block));
  EXPECT_FALSE(MeetsNone({.kind = Kind::kFromTo, .from = 30}, block));
  EXPECT_TRUE(MeetsNone({.kind = Kind::kIn, .numbers = {9, 31}}, block));
  EXPECT_FALSE(MeetsNone({.kind = Kind::kIn, .numbers = {9, 11}}, block));
  EXPECT_FALSE(MeetsNone({.kind = Kind::kIsNull}, block));
  const columns::BlockEntry empty;
  EXPECT_FALSE(MeetsNone({.kind = Kind::kIsNull}, empty));
  EXPECT_TRUE(MeetsNone({.kind = Kind::kIn, .numbers = {0}}, empty));
}

TEST(ColumnConditionTest, ExpressionsOfOneColumn) {
  const tables::TableInfo& info = InfoOf(tables::Table::kWaits);
  const auto of = [&](std::string_view text) {
    const auto tokens = TokensOf(text);
    const auto expression = ReadExpression(
        tokens, {.column = [&](Tokens name) -> std::optional<ColumnRef> {
                   const bool is_kind = name[0].Is("KIND");
                   return ColumnRef{.column = is_kind ? tables::waits::kKind : tables::waits::kTid};
                 },
                 .scalar = [](Tokens) { return std::optional<size_t>(0); }});
    tables::Cell seven;
    seven.Set(int64_t{7});
    return ConditionOf(*expression, info, std::span(&seven, 1));
  };
  EXPECT_EQ(of("tid = 5")->numbers, std::vector<int64_t>{5});
  EXPECT_EQ(of("5 < tid")->from, 6);
  EXPECT_EQ(of("tid <= (SELECT 7)")->to, 7);
  EXPECT_EQ(of("kind NOT IN ('a', 'b')")->kind, Kind::kNotIn);
  EXPECT_EQ(of("kind IN ('a', 'b')")->texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(of("tid IS NULL")->kind, Kind::kIsNull);
  EXPECT_EQ(of("tid IS NOT NULL")->kind, Kind::kIsNotNull);
  EXPECT_EQ(of("tid")->numbers, std::vector<int64_t>{0});
  for (const char* other :
       {"kind", "tid = 'x'", "kind = 5", "tid = NULL", "tid = tid", "tid + 1", "tid < 2.5",
        "kind < 'x'", "tid IS NOT 5", "tid < -9223372036854775807 - 1", "NOT tid",
        "tid = 1 OR tid = 2", "tid IN (1, NULL)"}) {
    EXPECT_FALSE(of(other)) << other;
  }
}

}  // namespace
}  // namespace query
