// SPDX-License-Identifier: BSD-2-Clause
// Keeps the rows of a small table or subquery in memory, and finds them by the values of one
// column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "columns/column_block.h"
#include "fxt/text_map.h"
#include "tables/rows/cell.h"

namespace query {

class Relation {
 public:
  static constexpr size_t kMaxRows = size_t{1} << 20;
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  explicit Relation(size_t width) : columns_(width), texts_of_(width) {}
  Relation(const Relation&) = delete;
  Relation& operator=(const Relation&) = delete;

  // Adds a row with as many cells as there are columns. False: there is no room.
  bool Add(std::span<const tables::Cell> row);
  // After the last row.
  void Seal();
  size_t rows() const { return rows_; }
  const columns::ColumnValues& column(size_t number) const { return columns_[number]; }

  // Positions of rows in the order of a column.
  struct Range {
    uint32_t from = 0;
    uint32_t to = 0;
  };
  // Orders rows by the values of a column, which must be whole numbers, texts or NULL. False: there
  // are other values.
  bool OrderBy(size_t column);
  // Rows with this value; for a text, its number from NumberOf().
  Range Equal(int64_t value) const;
  // Rows whose value is from the first to the second one, both included.
  Range Between(int64_t from, int64_t to) const;
  bool is_of_texts() const { return is_of_texts_; }
  // The number of a text in the column that rows are ordered by; -1: there is no such text.
  int64_t NumberOf(std::string_view text) const;
  uint32_t RowAt(uint32_t place) const { return order_[place]; }

 private:
  size_t rows_ = 0;
  size_t bytes_ = 0;
  std::vector<columns::ColumnValues> columns_;
  std::deque<std::string> texts_;
  std::vector<fxt::TextViewMap<int64_t>> texts_of_;  // of each column: the numbers of its texts
  size_t ordered_by_ = 0;
  bool is_of_texts_ = false;
  std::vector<uint32_t> order_;   // of rows whose value is not NULL
  std::vector<int64_t> ordered_;  // their values
};

}  // namespace query
