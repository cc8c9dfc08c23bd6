// SPDX-License-Identifier: BSD-2-Clause
// Evaluates an expression for many rows at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "columns/column_block.h"
#include "query/expression.h"
#include "tables/rows/cell.h"

namespace query {

// The source of columns for expressions.
class ExpressionRows {
 public:
  virtual ~ExpressionRows() = default;
  virtual size_t size() const = 0;
  // A value for each row; null: it cannot be read. Valid until the rows change.
  virtual const columns::ColumnValues* Column(ColumnRef column) = 0;
};

// The value of a literal.
tables::Cell ConstantOf(const Expression& expression);
tables::Cell CellOf(const columns::ColumnValues& values, size_t row);
// SQLite's order: below 0 if `a` is before `b`. Empty for a number and a text, which SQLite's rules
// of affinity compare.
std::optional<int> CompareCells(const tables::Cell& a, const tables::Cell& b);
// True if a condition with that value holds; false for NULL. Empty for a text.
std::optional<bool> IsTrue(const tables::Cell& value);

// Computes operators and functions. Empty: the result of SQLite is unknown.
std::optional<tables::Cell> Evaluate(Expression::Kind kind, std::span<const tables::Cell> operands);

class ExpressionValues {
 public:
  // `scalars`: the values of Expression::Kind::kScalar. Both outlive this.
  ExpressionValues(const Expression& expression, std::span<const tables::Cell> scalars);

  // A value for each row, equal to SQLite's. Null if the result of SQLite is unknown, as for
  // numbers beyond 64 bits. Valid until the next call, or until the rows change.
  const columns::ColumnValues* Of(ExpressionRows& rows);

 private:
  // One value for all rows, or one for each.
  struct Operand {
    const columns::ColumnValues* values = nullptr;
    size_t step = 0;

    tables::Cell at(size_t row) const { return CellOf(*values, row * step); }
    tables::Cell::Kind KindAt(size_t row) const { return values->KindOf(row * step); }
    // Whole numbers, and possibly NULL.
    bool IsOfIntegers() const;
  };

  std::optional<Operand> OperandOf(ExpressionRows& rows);
  const columns::ColumnValues* Compute(ExpressionRows& rows);
  // For whole numbers. False: not such an operation, or a result is beyond 64 bits.
  bool ComputeIntegers(const Operand& left, const Operand& right, size_t rows);
  // For two numbers, one of them real. False: not such an operation, or a result is not a number.
  bool ComputeReals(const Operand& left, const Operand& right, size_t rows);
  // For texts and constants: computes once for each distinct text.
  bool ComputeTexts(std::span<const Operand> operands, size_t rows);
  bool Put(size_t row, std::span<const tables::Cell> operands);

  const Expression& expression_;
  std::vector<ExpressionValues> operands_;
  columns::ColumnValues values_;
  bool is_constant_ = false;
};

}  // namespace query
