// SPDX-License-Identifier: BSD-2-Clause
#include "query/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace query {
namespace {

// Columns are a, b and c.
std::optional<Expression> Read(std::string_view text) {
  const auto tokens = TokensOf(text);
  const ExpressionNames names{.column = [](Tokens name) -> std::optional<ColumnRef> {
                                const std::string value = name.back().Value();
                                if (value.size() != 1 || value < "a" || value > "c")
                                  return std::nullopt;
                                return ColumnRef{
                                    .relation = name.size() == 3 ? uint8_t{1} : uint8_t{0},
                                    .column = static_cast<uint8_t>(value[0] - 'a')};
                              },
                              .scalar = [](Tokens) { return std::optional<size_t>(7); }};
  return ReadExpression(tokens, names);
}

// With all parentheses.
std::string TextOf(const Expression& expression) {
  static constexpr const char* kNames[] = {"NULL", "",    "",   "",    "",      "",         "+",
                                           "-",    "*",   "/",  "%",   "=",     "<>",       "<",
                                           "<=",   ">",   ">=", "IS",  "ISNOT", "AND",      "OR",
                                           "NOT",  "abs", "IN", "min", "max",   "coalesce", "CASE"};
  switch (expression.kind) {
    case Expression::Kind::kInteger:
      return std::to_string(expression.number);
    case Expression::Kind::kReal:
      return std::to_string(expression.real);
    case Expression::Kind::kText:
      return "'" + expression.text + "'";
    case Expression::Kind::kScalar:
      return "$" + std::to_string(expression.number);
    case Expression::Kind::kColumn:
      return std::string(expression.column.relation == 0 ? "" : "t.") +
             static_cast<char>('a' + expression.column.column);
    default:
      break;
  }
  std::string text = kNames[static_cast<size_t>(expression.kind)];
  for (const Expression& operand : expression.operands) text += " " + TextOf(operand);
  return expression.operands.empty() ? text : "(" + text + ")";
}

std::string Parsed(std::string_view text) {
  const auto read = Read(text);
  return read ? TextOf(*read) : "";
}

TEST(ExpressionTest, OperatorsBindAsInSqlite) {
  EXPECT_EQ(Parsed("a + b * c - 2"), "(- (+ a (* b c)) 2)");
  EXPECT_EQ(Parsed("NOT a = b AND c < 1 OR a"), "(OR (AND (NOT (= a b)) (< c 1)) a)");
  EXPECT_EQ(Parsed("a < b = c"), "(= (< a b) c)");
  EXPECT_EQ(Parsed("a BETWEEN b AND c AND c"), "(AND (AND (>= a b) (<= a c)) c)");
  EXPECT_EQ(Parsed("a NOT BETWEEN 1 AND 2"), "(NOT (AND (>= a 1) (<= a 2)))");
  EXPECT_EQ(Parsed("t.a IN (1, -2, 'x', NULL)"), "(IN t.a 1 -2 'x' NULL)");
  EXPECT_EQ(Parsed("a IS NOT NULL AND b NOTNULL AND c NOT NULL"),
            "(AND (AND (ISNOT a NULL) (ISNOT b NULL)) (ISNOT c NULL))");
  EXPECT_EQ(Parsed("min(a, max(b, 1.5)) / (SELECT 1)"), "(/ (min a (max b 1.500000)) $7)");
  EXPECT_EQ(Parsed("CASE WHEN a THEN b ELSE 'it''s' END"), "(CASE a b 'it's')");
}

TEST(ExpressionTest, LeavesOthersToSqlite) {
  for (const char* text : {"",
                           "a +",
                           "a b",
                           "(a",
                           "d",
                           "a || b",
                           "a IN (SELECT 1) AND",
                           "a IN (b)",
                           "a IN ()",
                           "a LIKE 'x'",
                           "min(a)",
                           "lower(a)",
                           "a IS TRUE",
                           "-a",
                           "9223372036854775808",
                           "CASE a WHEN 1 THEN 2 END",
                           "CASE END",
                           "0x10",
                           "a COLLATE NOCASE",
                           "CAST(a AS TEXT)",
                           "a & b",
                           "~a",
                           "a IS DISTINCT FROM b",
                           "a BETWEEN b"}) {
    EXPECT_FALSE(Read(text)) << text;
  }
  std::string deep = "a";
  for (int i = 0; i < 5000; ++i) deep = "(" + deep + ")";
  EXPECT_FALSE(Read(deep));
  std::string wide = "a";
  for (int i = 0; i < 5000; ++i) wide += " + a";
  EXPECT_FALSE(Read(wide));
}

TEST(ExpressionTest, ConditionsAreSplitAtTheirOuterAnd) {
  const auto tokens =
      TokensOf("a BETWEEN 1 AND 2 AND CASE WHEN b AND c THEN 1 END AND (a AND b) AND NOT c");
  EXPECT_EQ(SplitAtAnd(tokens, 0).size(), 4U);
  const auto others = TokensOf("a AND b OR c");
  EXPECT_EQ(SplitAtAnd(others, 0).size(), 1U);
}

TEST(ExpressionTest, OneIsMirrored) {
  EXPECT_EQ(MirroredKind(Expression::Kind::kLess), Expression::Kind::kGreater);
  EXPECT_EQ(MirroredKind(Expression::Kind::kGreaterEqual), Expression::Kind::kLessEqual);
  EXPECT_EQ(MirroredKind(Expression::Kind::kEqual), Expression::Kind::kEqual);
}

}  // namespace
}  // namespace query
