// SPDX-License-Identifier: BSD-2-Clause
// Window functions over the rows of several SELECTs (UNION ALL), ordered by time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/expression_values.h"
#include "query/group_query.h"
#include "query/joined_rows.h"
#include "query/row_blocks.h"

namespace query {

// The rows of an OrderedSelect in their order. All rows of a part have the same values except in
// the ordering column: in memory a row is its time and the number of its part.
class OrderedRows final : public RowBlocks {
 public:
  // Largest number of rows, in 256 MiB.
  static constexpr size_t kMaxRows = (size_t{256} << 20) / sizeof(int64_t);

  // Both must outlive it.
  OrderedRows(const OrderedSelect& select, const GroupInput& input)
      : select_(select), input_(input) {}

  // False: SQLite has to answer.
  bool Prepare();
  bool Next() override;
  size_t rows() const override { return end_ - begin_; }
  bool Read(uint8_t column, columns::ColumnValues& values) override;
  bool MeetsNone(const ColumnCondition&) const override { return false; }

 private:
  // The constant value of a column in all rows of a part; empty: it is not constant, or there are
  // no rows.
  using Constants = std::vector<std::optional<int64_t>>;
  class Block;

  bool AddPart(const OrderedSelect::Part& part);
  bool AddRows(const columns::ColumnValues& times, size_t rows);
  bool AddConstant(size_t column, const columns::ColumnValues& values, size_t rows);
  int64_t TimeOf(size_t row) const { return rows_[row] >> kPartBits; }
  size_t PartOf(size_t row) const { return static_cast<size_t>(rows_[row]) & (kMaxParts - 1); }
  int64_t ValueOf(size_t row, uint8_t column) const {
    return column == select_.order ? TimeOf(row) : constants_[PartOf(row)][column].value_or(0);
  }
  bool FillWindow(size_t number, columns::ColumnValues& values);

  static constexpr unsigned kPartBits = 4;
  static constexpr size_t kMaxParts = size_t{1} << kPartBits;

  const OrderedSelect& select_;
  const GroupInput& input_;
  std::vector<Constants> constants_;  // by part and column
  std::vector<int64_t> rows_;         // the time, and the part in the lowest bits
  std::vector<tables::Cell> scalars_;
  std::vector<ExpressionValues> columns_;
  size_t begin_ = 0;  // of the block
  size_t end_ = 0;
  std::vector<columns::ColumnValues>
      values_;           // of the source's columns in the block, and of windows behind them
  uint64_t filled_ = 0;  // bits of those
  // State of a window: the sum, and the last row of the same time, which has the same sum.
  struct Sum {
    int64_t sum = 0;
    size_t next = 0;
  };
  std::vector<Sum> sums_;
};

}  // namespace query
