// SPDX-License-Identifier: BSD-2-Clause
// Puts items in the order of their times in bounded memory: sorted runs go to an unnamed temporary
// file and are merged (an external merge sort).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace sort {

// Items are bytes of any kind. Those of equal time keep the order in which they were added. What
// fits the memory never goes to a file, and what comes in order makes one run however long it is.
class RunSorter {
 public:
  static constexpr size_t kDefaultMemory = size_t{16} << 20;
  static constexpr size_t kMaxItemBytes = size_t{1} << 20;

  // About `memory_bytes` are used, for items and their index; at least 64 KiB.
  explicit RunSorter(size_t memory_bytes = kDefaultMemory);

  // `bytes`: at most kMaxItemBytes, and no more than a quarter of the memory. Error: the temporary
  // file cannot be written.
  util::Status Add(int64_t time, std::span<const std::byte> bytes);
  // After the last Add() and before the first Next().
  util::Status Finish();

  struct Item {
    int64_t time = 0;
    std::span<const std::byte> bytes;  // until the next Next()
  };
  // The next in order; false behind the last one.
  util::Result<bool> Next(Item& item);

  uint64_t items() const { return items_; }
  // Bytes that went to the temporary file, and runs there; 0 when there is none.
  uint64_t spilled_bytes() const { return file_bytes_; }
  size_t runs() const { return runs_.size(); }

 private:
  struct Head {  // before each item, in memory and in the file
    int64_t time;
    uint32_t bytes;
    uint32_t unused;
  };
  struct Entry {
    int64_t time;
    uint64_t offset;  // of its Head in arena_
  };
  struct Run {
    uint64_t next = 0;  // in the file: first byte that is not in the buffer
    uint64_t end = 0;
    int64_t last_time = 0;
    std::vector<std::byte> buffer;
    size_t at = 0;      // of the item in hand
    size_t filled = 0;  // bytes of the buffer
  };

  void SortEntries();
  util::Status Spill();
  util::Status WriteOut();
  // Makes the item at `run.at` whole in its buffer; false at the end of the run.
  util::Result<bool> Fill(Run& run);
  const Head& HeadOf(const Run& run) const;
  bool Before(uint32_t a, uint32_t b) const;
  void SiftDown(size_t at);
  util::Status StartMerge();

  size_t memory_bytes_;
  std::vector<std::byte> arena_;
  std::vector<Entry> entries_;
  bool in_order_ = true;  // entries_
  uint64_t items_ = 0;

  util::UniqueFd file_;
  uint64_t file_bytes_ = 0;
  std::vector<std::byte> out_;  // to be written to the file
  std::vector<Run> runs_;

  // While they are handed out.
  size_t next_entry_ = 0;
  std::vector<uint32_t> heap_;  // runs that have items, the first in front
  bool advance_ = false;        // the front's item was handed out
};

}  // namespace sort
