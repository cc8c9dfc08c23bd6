// SPDX-License-Identifier: BSD-2-Clause
// Keeps the rows of a scan in memory for a join that reads them repeatedly.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tables/rows/cell.h"
#include "tables/rows/row_batch.h"
#include "util/result.h"

namespace query {

// Bytes of all kept rows of a database.
struct KeptBudget {
  static constexpr size_t kMaxBytes = size_t{320} << 20;
  size_t free = kMaxBytes;
};

// Rows of one table in the order of the scan, with an index by one column and, for equal values, by
// time.
class KeptRows {
 public:
  // Numbers of entries of the index.
  struct Range {
    size_t from = 0;
    size_t to = 0;
  };

  // `key`: the column of the index; empty: there is no index. Bit i of `staying`: texts of column i
  // outlive the rows. `budget` must outlive it.
  KeptRows(tables::Table table, uint64_t columns, std::optional<uint8_t> key, uint64_t staying,
           KeptBudget& budget);
  ~KeptRows() { budget_.free += taken_; }
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  // Adds a row of that id with the wanted columns. False: there is no room.
  bool Add(const tables::Cell* row, int64_t id);
  // After the last row.
  void Seal();

  // Rows whose key may equal a value: all whose key equals it and whose `ts`, if it is among the
  // columns, is from the first to the second time, and possibly a few others. Needs a key.
  Range Equal(const tables::Cell& value, int64_t from = INT64_MIN, int64_t to = INT64_MAX) const;
  // Rows whose key, a number, is from the first to the second value, both included.
  Range Between(int64_t from, int64_t to) const;
  Range All() const { return {0, starts_.size()}; }
  // True for an entry of All(), false for one of the index.
  enum class Order : uint8_t { kScan, kKey };
  // Copies the row of an entry into as many cells as there are columns; returns its id. Texts are
  // valid as long as this.
  int64_t Read(Order order, size_t entry, tables::Cell* row) const;

  // Smallest number of bytes of a row with this many cells.
  static constexpr size_t LeastBytes(size_t cells) {
    return 2 * kRowBytes + sizeof(int64_t) + cells;
  }
  size_t width() const { return shape_.columns().size(); }
  // A batch without rows, which has the layout of the cells.
  const tables::RowBatch& shape() const { return shape_; }

 private:
  static constexpr size_t kBlockBytes = size_t{256} << 10;
  // An entry for a row: the position of its bytes, and its position in the index.
  struct Entry {
    int64_t key = 0;
    int64_t time = 0;
    uint32_t row = 0;

    auto operator<=>(const Entry&) const = default;
  };
  static constexpr size_t kRowBytes = sizeof(uint64_t) + sizeof(Entry);

  Range Within(const Entry& from, const Entry& to) const;

  bool Take(size_t bytes);
  std::byte* Place(size_t bytes);

  tables::TextBudget texts_;  // of the shape, which has no texts
  tables::RowBatch shape_;
  std::optional<uint8_t> key_slot_;
  uint64_t staying_slots_ = 0;
  KeptBudget& budget_;
  size_t taken_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
  std::vector<const std::byte*> starts_;
  std::optional<uint8_t> time_slot_;
  std::vector<Entry> index_;  // ascending
};

}  // namespace query
