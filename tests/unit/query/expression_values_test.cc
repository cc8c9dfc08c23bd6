// SPDX-License-Identifier: BSD-2-Clause
#include "query/expression_values.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "unit/query/sqlite_copy.h"

namespace query {
namespace {

using tables::Cell;

// Columns a, b (whole numbers, NULL), c (texts, NULL) and d (reals and whole numbers).
class Values : public ExpressionRows {
 public:
  explicit Values(testing::SqliteCopy& sqlite) {
    sqlite.Run("CREATE TABLE t(a INTEGER, b INTEGER, c TEXT, d)");
    const char* const numbers[] = {
        "NULL", "0", "1", "-1", "7", "-9223372036854775807", "9223372036854775807"};
    const char* const texts[] = {"NULL", "''", "'a'", "'B'", "'ab'"};
    const char* const reals[] = {"1.5", "-0.5", "7", "0", "9.3e18"};
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
      const auto one_of = [&](auto& list) { return std::string(list[random() % std::size(list)]); };
      sqlite.Run("INSERT INTO t VALUES(" + one_of(numbers) + ", " + one_of(numbers) + ", " +
                 one_of(texts) + ", " + one_of(reals) + ")");
    }
    EXPECT_TRUE(sqlite.Ask("SELECT * FROM t", &rows_));
    rows_.Seal();
  }
  size_t size() const override { return rows_.rows(); }
  const columns::ColumnValues* Column(ColumnRef column) override {
    return &rows_.column(column.column);
  }

 private:
  Relation rows_{4};
};

std::optional<ColumnRef> ColumnOf(Tokens name) {
  const std::string value = name[0].Value();
  return value.size() == 1 && value >= "a" && value <= "d"
             ? std::optional(ColumnRef{.column = static_cast<uint8_t>(value[0] - 'a')})
             : std::nullopt;
}

std::string Random(std::mt19937& random, int depth) {
  static constexpr const char* kLeaves[] = {"a",  "b",   "c",   "d",    "0", "1",
                                            "-3", "2.5", "'a'", "NULL", "a", "b"};
  if (depth == 0) return kLeaves[random() % std::size(kLeaves)];
  static constexpr const char* kSigns[] = {"+",  "-", "*",  "/",  "%",      "=",   "<>", "<",
                                           "<=", ">", ">=", "IS", "IS NOT", "AND", "OR"};
  const auto one = [&] { return Random(random, depth - 1); };
  switch (random() % 10) {
    case 0:
      return "(NOT " + one() + ")";
    case 1:
      return "(" + one() + " IN (1, 7, NULL))";
    case 2:
      return (random() % 2 == 0 ? "min(" : "max(") + one() + ", " + one() + ")";
    case 3:
      return "coalesce(" + one() + ", " + one() + ")";
    case 4:
      return "(CASE WHEN " + one() + " THEN " + one() + " ELSE " + one() + " END)";
    case 5:
      return "(" + one() + " BETWEEN " + one() + " AND " + one() + ")";
    default:
      return "(" + one() + " " + kSigns[random() % std::size(kSigns)] + " " + one() + ")";
  }
}

TEST(ExpressionValuesTest, AreThoseOfSqlite) {
  testing::SqliteCopy sqlite;
  Values values(sqlite);
  std::mt19937 random(5);
  int understood = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string text = Random(random, round % 4);
    const auto tokens = TokensOf(text);
    const auto expression = ReadExpression(tokens, {.column = ColumnOf, .scalar = nullptr});
    ASSERT_TRUE(expression) << text;
    ExpressionValues computed(*expression, {});
    const columns::ColumnValues* made = computed.Of(values);
    if (made == nullptr) continue;
    ++understood;
    const auto expected = sqlite.Ask("SELECT " + text + " FROM t");
    ASSERT_TRUE(expected) << text;
    for (size_t row = 0; row < values.size(); ++row) {
      ASSERT_EQ(columns::testing::TextOf(CellOf(*made, row)), (*expected)[row][0])
          << text << " of row " << row;
    }
  }
  EXPECT_GT(understood, 1000);
}

TEST(ExpressionValuesTest, LeavesAffinityRulesToSqlite) {
  testing::SqliteCopy sqlite;
  Values values(sqlite);
  for (const char* text :
       {"a + c", "a < c", "a + 9223372036854775807", "a * b", "NOT c", "d % 2", "c AND 1"}) {
    const auto tokens = TokensOf(text);
    const auto expression = ReadExpression(tokens, {.column = ColumnOf, .scalar = nullptr});
    ASSERT_TRUE(expression) << text;
    EXPECT_EQ(ExpressionValues(*expression, {}).Of(values), nullptr) << text;
  }
}

}  // namespace
}  // namespace query
