// SPDX-License-Identifier: BSD-2-Clause
// An expression of SQL over the columns of one or more relations.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/sql_tokens.h"

namespace query {

using Tokens = std::span<const SqlToken>;

// A column of one of the tables and subqueries of a FROM.
struct ColumnRef {
  uint8_t relation = 0;
  uint8_t column = 0;
  auto operator<=>(const ColumnRef&) const = default;
};

struct Expression {
  enum class Kind : uint8_t {
    kNull,
    kInteger,
    kReal,
    kText,
    kScalar,  // the value of a SELECT in parentheses
    kColumn,
    // Binary operators.
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kModulo,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kIs,
    kIsNot,
    kAnd,
    kOr,
    // Unary operators.
    kNot,
    kAbsolute,
    // Any number of operands.
    kIn,  // the first one in the others, which are constants
    kLeast,
    kGreatest,
    kFirstKnown,  // coalesce()
    kCase,        // pairs of a condition and a value, and an optional value for ELSE
  };

  Kind kind = Kind::kNull;
  int64_t number = 0;  // of kInteger; of kScalar: its index
  double real = 0;
  std::string text = {};
  ColumnRef column = {};
  std::vector<Expression> operands = {};

  bool operator==(const Expression&) const = default;
  bool IsConstant() const { return kind <= Kind::kScalar; }
};

// Resolves the names and SELECTs in an expression. Empty: not supported.
struct ExpressionNames {
  // The column of "name" or "table.name".
  std::function<std::optional<ColumnRef>(Tokens)> column;
  // The number of a SELECT without its parentheses.
  std::function<std::optional<size_t>(Tokens)> scalar;
  // The column that equals the call at the begin of the tokens, and the number of its tokens. May
  // be null.
  std::function<std::optional<ColumnRef>(Tokens, size_t& size)> call = nullptr;
};

// Empty if a part of it is not supported.
std::optional<Expression> ReadExpression(Tokens tokens, const ExpressionNames& names);

// Calls `each` with each column in it.
void ForEachColumn(const Expression& expression, const std::function<void(ColumnRef)>& each);

// The kind of the comparison with exchanged operands: "a < b" is "b > a".
Expression::Kind MirroredKind(Expression::Kind kind);

// The number of its operators and functions.
size_t OperatorsOf(const Expression& expression);

// The parts that `sign` separates at `depth`.
std::vector<Tokens> SplitAt(Tokens tokens, size_t depth, std::string_view sign);
// The terms that AND combines in a condition; the AND of BETWEEN does not count.
std::vector<Tokens> SplitAtAnd(Tokens condition, size_t depth);

}  // namespace query
