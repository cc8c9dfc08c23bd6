// SPDX-License-Identifier: BSD-2-Clause
// Groups rows by the values of some of their columns, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/chunk_store.h"
#include "tables/rows/cell.h"
#include "util/result.h"

namespace query {

// SQLite groups rows by sorting them, which takes most of the time of a GROUP BY over millions of
// rows. Here each row is appended to the list of its group, with a few bytes; lists that do not fit
// into memory go to an unnamed file.
class RowGroups {
 public:
  // Largest number of groups at once: rows of further ones wait for the next round.
  static constexpr size_t kMaxGroups = 1 << 14;

  // Rows of `width` cells are grouped by the cells of `keys`, of which there is at least one. Keys
  // are whole numbers, and texts that are equal if they have the same address, which must stay
  // valid.
  RowGroups(size_t width, std::vector<uint8_t> keys);
  RowGroups(const RowGroups&) = delete;
  RowGroups& operator=(const RowGroups&) = delete;

  util::Status Add(const tables::Cell* row);
  // After the last row.
  void Seal();
  // The next row, valid until the next call; null after the last. Groups of one round are in the
  // order of their keys.
  util::Result<const tables::Cell*> Next();

 private:
  struct Group {
    uint64_t rows = 0;
    ChunkStore::List list = {};  // of the other cells
  };

  // Its number; UINT32_MAX if there are too many.
  uint32_t GroupOf(const tables::Cell* row);
  util::Status NextRound();

  std::vector<uint8_t> key_columns_;
  std::vector<uint8_t> other_columns_;
  std::vector<uint8_t> all_columns_;
  ChunkStore store_;
  std::vector<tables::Cell> keys_;  // of each group
  std::vector<Group> groups_;
  std::vector<uint32_t> slots_;  // of groups_ by hash
  ChunkStore::List overflow_;    // rows of further groups

  std::vector<uint32_t> order_;
  size_t at_ = 0;      // in order_
  uint64_t left_ = 0;  // rows of the group that is read
  ChunkStore::Reader reader_;
  std::vector<tables::Cell> row_;
};

}  // namespace query
