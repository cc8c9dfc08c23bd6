// SPDX-License-Identifier: BSD-2-Clause
// Rows of one table, with the requested columns only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/rows/cell.h"
#include "tables/rows/row_filter.h"
#include "tables/rows/schema.h"
#include "tables/rows/text_budget.h"

namespace tables {

class RowBatch {
 public:
  static constexpr uint8_t kNotWanted = UINT8_MAX;

  static constexpr size_t kDetailCells = 7;

  // Bit i of `columns`: column or column group i is wanted. `texts` is that of all batches of a
  // scan.
  RowBatch(Table table, uint64_t columns, const RowFilter& filter, TextBudget& texts);
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;

  Table table() const { return table_; }
  const RowFilter& filter() const { return filter_; }
  // The numbers of the wanted columns, ascending: the columns of the cells of a row.
  std::span<const uint8_t> columns() const { return columns_; }
  bool Wants(uint8_t column) const { return slots_[column] != kNotWanted; }
  // The cell of a column in each row; kNotWanted if it has none.
  uint8_t SlotOf(uint8_t column) const { return slots_[column]; }

  size_t size() const { return rows_; }
  const Cell* row(size_t number) const { return cells_.data() + number * columns_.size(); }
  // The id of a row among all rows of the table, also those that the filter excludes: the same in
  // every scan of the file.
  uint64_t IdOf(size_t row) const { return ids_[row]; }

  // Calls `fill(column, cell)` for each cell of a new row; cells have undefined values before.
  template <typename Fill>
  void Add(Fill&& fill) {
    Add(TakeId(), fill);
  }
  // Adds a row whose id was taken before.
  template <typename Fill>
  void Add(uint64_t id, Fill&& fill) {
    Cell* cell = NewRow(id);
    for (const uint8_t column : columns_) fill(column, *cell++);
  }
  // True if these are its columns().
  bool HasExactly(std::span<const uint8_t> columns) const {
    return std::equal(columns.begin(), columns.end(), columns_.begin(), columns_.end());
  }
  // The same as Add() for a batch with exactly these columns. The compiler can inline `fill`.
  template <const auto& columns, typename Fill>
  [[gnu::always_inline]] void AddExactly(Fill&& fill) {
    Cell* const cells = NewRow(TakeId());
    [&]<size_t... i>(std::index_sequence<i...>) { (fill(columns[i], cells[i]), ...); }
    (std::make_index_sequence<columns.size()>());
  }
  // Adds `rows` rows, which the caller fills: the cells of a row are next to each other.
  Cell* Extend(size_t rows);
  // The id of a row that is added later.
  uint64_t TakeId() { return next_id_++; }
  // Adds a number to a group kDetails, and returns its cells, which are NULL. Valid until Clear().
  Cell* AddDetail() {
    details_.resize(details_.size() + kDetailCells);
    return details_.data() + details_.size() - kDetailCells;
  }
  // The number of the last detail, from 1 on.
  uint64_t details() const { return details_.size() / kDetailCells; }
  const Cell* detail(uint64_t number) const {
    return details_.data() + (number - 1) * kDetailCells;
  }
  // Counts rows that the filter excludes.
  void PassOver(uint64_t rows = 1) { next_id_ += rows; }
  // Keeps a text until Clear(), escaped for terminals if `clean`. Text beyond the budget is cut.
  std::string_view Keep(std::string_view text);
  std::string_view KeepClean(std::string_view text);
  // The same for text that was taken from the budget.
  std::string_view Copy(std::string_view text);
  TextBudget& texts() { return texts_; }
  // Bytes of kept texts.
  size_t kept() const { return kept_; }

  // Removes the rows.
  void Clear();

 private:
  static constexpr size_t kArenaBytes = size_t{64} << 10;

  Cell* NewRow(uint64_t id) {
    if (rows_ == ids_.size()) [[unlikely]] {
      Grow();
    }
    ids_[rows_] = id;
    return cells_.data() + rows_++ * columns_.size();
  }
  void Grow();

  Table table_;
  RowFilter filter_;
  TextBudget& texts_;
  std::vector<uint8_t> columns_;
  std::array<uint8_t, kMaxColumns + kMaxGroups> slots_;
  size_t rows_ = 0;
  uint64_t next_id_ = 0;
  std::vector<uint64_t> ids_;  // as many as there is room for
  std::vector<Cell> cells_;
  std::vector<Cell> details_;
  size_t kept_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena_;
};

}  // namespace tables
