// SPDX-License-Identifier: BSD-2-Clause
// The values of one column in some thousand rows, as bytes of a file and as arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tables/rows/cell.h"

namespace columns {

// Rows of a block, at most. The data of a step of a query fits the second-level cache.
inline constexpr size_t kBlockRows = 32768;
// Bytes of the blocks of all columns of some rows, at most; a reader refuses larger ones.
inline constexpr size_t kMaxRowBytes = size_t{128} << 20;

enum class Encoding : uint8_t {
  kNull,    // no bytes: all are NULL
  kValues,  // all values except NULL have one kind; stored as differences from the smallest one
  kMixed,   // of several kinds
};

// Position and statistics of a block. A multiple of 8 bytes: its layout is that of the file.
struct BlockEntry {
  uint64_t offset = 0;
  uint64_t hash = 0;  // util::ContentHash::Of() its bytes
  // Smallest and largest whole number; for texts, of their positions in the block's list.
  int64_t low = 0;
  int64_t high = 0;
  uint32_t bytes = 0;
  Encoding encoding = Encoding::kNull;
  tables::Cell::Kind kind = tables::Cell::Kind::kNull;  // of kValues
  uint8_t width = 0;                                    // bytes of a difference: 0, 1, 2, 4 or 8
  uint8_t has_nulls = 0;
};
static_assert(sizeof(BlockEntry) == 40);

// A block in memory. Texts are valid as long as it is not changed.
struct ColumnValues {
  size_t rows = 0;
  // Whole numbers, bits of real numbers, or indexes of `texts`; undefined for NULL.
  std::vector<int64_t> values;
  // tables::Cell::Kind of each row; empty: all are of `kind`.
  std::vector<uint8_t> kinds;
  tables::Cell::Kind kind = tables::Cell::Kind::kNull;
  std::vector<std::string_view> texts;
  std::vector<std::byte> bytes;  // those of the file
  // Temporary memory of reading; kept for its memory.
  std::vector<std::byte> number_bytes;
  std::vector<int64_t> few_values;
  std::vector<uint8_t> few_kinds;

  tables::Cell::Kind KindOf(size_t row) const {
    return kinds.empty() ? kind : static_cast<tables::Cell::Kind>(kinds[row]);
  }
};

// Fills `values` from its bytes. The bytes are untrusted input. False: they are not a block of
// `rows` rows.
bool Decode(const BlockEntry& entry, size_t rows, ColumnValues& values);

// Expands a column that stores each distinct value once: replaces the distinct `values` by those of
// all `rows`. `numbers` is a block of whole numbers with the index of each row's value; its bytes
// are `bytes`. False: it is not such a block, or an index is not below values.rows. Texts stay
// valid.
bool Spread(const BlockEntry& numbers, std::span<const std::byte> bytes, size_t rows,
            ColumnValues& values);

// Takes cells until the block is full.
class BlockBuilder {
 public:
  // True if equal texts have the same address, which stays valid until Finish().
  explicit BlockBuilder(bool has_stable_texts) : has_stable_texts_(has_stable_texts) {}

  // `count` cells, `stride` cells apart; kBlockRows at most until Finish().
  void Add(const tables::Cell* cells, size_t stride, size_t count);
  // Adds whole numbers, which the caller sets before the next call.
  int64_t* AddIntegers(size_t count);
  // Sets the value of an added row to NULL.
  void SetNull(size_t row) {
    kinds_[row] = static_cast<uint8_t>(tables::Cell::Kind::kNull);
    seen_kinds_ |= 1U << static_cast<unsigned>(tables::Cell::Kind::kNull);
  }
  size_t rows() const { return rows_; }
  // Bytes of its texts.
  size_t text_bytes() const { return text_.size(); }
  // Appends the bytes of the block to `to`, which begins at `offset` of the file, and starts a new
  // block.
  BlockEntry Finish(std::vector<std::byte>& to, uint64_t offset);

 private:
  struct Slot {
    uint64_t key = 0;     // the place of the text, or its hash
    uint32_t number = 0;  // of the text, from 1 on; 0: free
  };
  // Makes room for `count` further rows. Returns the index of the first one.
  size_t MakeRoom(size_t count);
  uint32_t NumberOf(std::string_view text);
  std::string_view TextOf(uint32_t number) const;
  Slot& Find(uint64_t key, std::string_view text);
  void Grow();

  bool has_stable_texts_;
  size_t rows_ = 0;
  std::vector<int64_t> values_;  // these two have room for more rows
  std::vector<uint8_t> kinds_;
  unsigned seen_kinds_ = 0;  // bit of each
  std::vector<uint32_t> ends_;
  std::vector<char> text_;
  std::vector<Slot> slots_;  // open addressing, a power of two
  const char* last_place_ = nullptr;
  uint32_t last_number_ = 0;
};

}  // namespace columns
