// SPDX-License-Identifier: BSD-2-Clause
// The rows of a table in blocks, whose columns are read one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "columns/column_file.h"
#include "query/column_condition.h"
#include "query/window_query.h"

namespace query {

class RowBlocks {
 public:
  virtual ~RowBlocks() = default;
  // Moves to the next block, or to the first one. False after the last.
  virtual bool Next() = 0;
  virtual size_t rows() const = 0;
  // False: the column cannot be read.
  virtual bool Read(uint8_t column, columns::ColumnValues& values) = 0;
  // True if it is certain that no row of the block meets a condition.
  virtual bool MeetsNone(const ColumnCondition& condition) const = 0;
};

// The blocks of a table of the cache. After its columns there are the windows of the statement.
class TableRowBlocks final : public RowBlocks {
 public:
  // `windows` may be null; otherwise it must outlive this.
  TableRowBlocks(std::shared_ptr<const columns::ColumnFile> file, tables::Table table,
                 const StatementWindows* windows)
      : file_(std::move(file)), table_(table), windows_(windows) {}

  bool Next() override {
    if (next_ != 0) begin_ += rows();
    return next_ < file_->table(table_).blocks() && ++next_ != 0;
  }
  size_t rows() const override { return file_->table(table_).block_rows[next_ - 1]; }
  bool Read(uint8_t column, columns::ColumnValues& values) override {
    const size_t own = InfoOf(table_).columns.size();
    return column < own ? file_->Read(table_, next_ - 1, column, values)
                        : ReadWindow(column - own, values);
  }
  bool MeetsNone(const ColumnCondition& condition) const override {
    return query::MeetsNone(condition, file_->entry(table_, next_ - 1, condition.column));
  }

 private:
  bool ReadWindow(size_t number, columns::ColumnValues& values) const {
    if (windows_ == nullptr || number >= windows_->values.size() ||
        windows_->values[number].table() != table_)
      return false;
    values.rows = rows();
    values.values.resize(rows());
    values.kinds.resize(rows());
    values.texts.clear();
    tables::Cell cell;
    for (size_t row = 0; row < rows(); ++row) {
      windows_->values[number].Put(begin_ + row, cell);
      values.kinds[row] = static_cast<uint8_t>(cell.kind);
      values.values[row] = cell.integer;
    }
    return true;
  }

  std::shared_ptr<const columns::ColumnFile> file_;
  tables::Table table_;
  const StatementWindows* windows_;
  size_t next_ = 0;
  uint64_t begin_ = 0;  // rows before the block
};

}  // namespace query
