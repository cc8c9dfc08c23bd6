// SPDX-License-Identifier: BSD-2-Clause
// All tables of a trace in columns, in a file. docs/queries.md says what is in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "columns/column_block.h"
#include "tables/rows/schema.h"
#include "tables/scan_faults.h"
#include "util/content_hash.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace columns {

// Identifies the trace of the columns.
struct TraceKey {
  uint64_t bytes = 0;
  util::ContentHash::Value hash;
  bool operator==(const TraceKey&) const = default;
};

// Reads a whole regular file. `cancelled` is called periodically; true cancels with an error.
util::Result<TraceKey> KeyOf(int fd, const std::function<bool()>& cancelled = nullptr);

struct TableBlocks {
  uint64_t rows = 0;
  std::vector<uint32_t> block_rows;
  // For each block: the entries of all columns, then those of the numbers of all groups of columns.
  // The block of a column in a group has a row for each number.
  std::vector<BlockEntry> entries;

  size_t blocks() const { return block_rows.size(); }
};

using Directory = std::array<TableBlocks, tables::kTables>;

// Number of entries of a block.
size_t EntriesOf(tables::Table table);
// The index of the group of a column among these; empty: it is in no group.
std::optional<size_t> GroupEntryOf(tables::Table table, uint8_t column);

// Reads columns. The file is untrusted input: damaged bytes cause at worst a wrong value.
class ColumnFile {
 public:
  // A file that was made by WriteColumns() of this version. Errors: it is not such a file, or not
  // that of `key`.
  static util::Result<std::unique_ptr<ColumnFile>> Open(util::UniqueFd fd, const TraceKey& key);

  const TableBlocks& table(tables::Table of) const { return directory_[static_cast<size_t>(of)]; }
  const BlockEntry& entry(tables::Table of, size_t block, uint8_t column) const;
  // The bits of the sets (columns/column_sets.h) in the file.
  unsigned sets() const { return sets_; }
  // Copies all blocks to the empty file `fd`, at the same positions. Returns its size.
  util::Result<uint64_t> CopyBlocks(int fd) const;
  uint64_t trace_bytes() const { return trace_bytes_; }
  // The faults of the trace.
  const tables::ScanFaults& faults() const { return faults_; }
  // Reads a block. False: it cannot be read, or its bytes are damaged.
  bool Read(tables::Table of, size_t block, uint8_t column, ColumnValues& values) const;
  // True if the bytes of these columns (bit i: column i) match their hashes. Reads each column at
  // most once.
  bool Verify(tables::Table of, uint64_t columns);

 private:
  explicit ColumnFile(util::UniqueFd fd) : fd_(std::move(fd)) {}
  util::Status ReadDirectory(std::span<const std::byte> bytes, uint64_t file_bytes);
  const BlockEntry& EntryAt(tables::Table of, size_t block, size_t place) const {
    return table(of).entries[block * EntriesOf(of) + place];
  }
  bool Load(const BlockEntry& entry, std::vector<std::byte>& bytes) const;

  util::UniqueFd fd_;
  unsigned sets_ = 0;
  uint64_t blocks_end_ = 0;
  uint64_t trace_bytes_ = 0;
  Directory directory_;
  tables::ScanFaults faults_;
  std::array<uint64_t, tables::kTables> verified_{};  // entries of blocks
};

}  // namespace columns
