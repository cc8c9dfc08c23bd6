// SPDX-License-Identifier: BSD-2-Clause
// Rows put together by the values of some of their columns, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/chunk_store.h"
#include "tables/rows/cell.h"
#include "util/result.h"

namespace query {

// SQLite puts rows together by sorting them, which takes most of the time of a GROUP BY over
// millions. Here each goes to where those of the same values are, a few bytes each; what does not
// fit into memory goes to a file without a name.
class RowGroups {
 public:
  // Groups at a time: rows of further ones wait for the next round.
  static constexpr size_t kMaxGroups = 1 << 14;

  // Rows of `width` cells are put together by those of `keys`, of which there is one at least:
  // whole numbers, and texts that are the same if they are in the same place, where they stay.
  RowGroups(size_t width, std::vector<uint8_t> keys);
  RowGroups(const RowGroups&) = delete;
  RowGroups& operator=(const RowGroups&) = delete;

  util::Status Add(const tables::Cell* row);
  // After the last row.
  void Seal();
  // The next row, valid up to the one after it; null behind the last. Groups of one round come in
  // the order of their keys.
  util::Result<const tables::Cell*> Next();

 private:
  struct Group {
    uint64_t rows = 0;
    ChunkStore::List list = {};  // of what is no key
  };

  // Its number; UINT32_MAX where there are too many.
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
