// SPDX-License-Identifier: BSD-2-Clause
// Evaluates an expression for many rows at a time.
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

// Rows whose columns are asked for by their expressions.
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
// SQLite's order: below 0 if `a` is before `b`. Empty for a number and a text, which SQLite's rules of affinity compare.
std::optional<int> CompareCells(const tables::Cell& a, const tables::Cell& b);
// Whether a condition of that value holds: not if it is NULL. None of a text.
std::optional<bool> IsTrue(const tables::Cell& value);

// Computes operators and functions. None: it is not known how SQLite computes it.
std::optional<tables::Cell> Evaluate(Expression::Kind kind, std::span<const tables::Cell> operands);

class ExpressionValues {
 public:
  // `scalars`: the values of Expression::Kind::kScalar. Both outlive this.
  ExpressionValues(const Expression& expression, std::span<const tables::Cell> scalars);

  // A value for each row, as SQLite has it. Null where it is not known how SQLite computes it, as of numbers beyond
  // 64 bits. Valid until the next call, or until the rows change.
  const columns::ColumnValues* Of(ExpressionRows& rows);

 private:
  // One value for all rows, or one for each.
  struct Operand {
    const columns::ColumnValues* values = nullptr;
    size_t step = 0;

    tables::Cell at(size_t row) const { return CellOf(*values, row * step); }
    tables::Cell::Kind KindAt(size_t row) const { return values->KindOf(row * step); }
    // Whole numbers, and perhaps NULL beside them.
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
