// SPDX-License-Identifier: BSD-2-Clause
// Sorts items by time in bounded memory: an external merge sort with runs in an unnamed temporary
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace sort {

// Items are arbitrary bytes. Items of equal time keep their order. Items that fit the memory never
// go to a file, and input in order makes one run of any length.
class RunSorter {
 public:
  static constexpr size_t kDefaultMemory = size_t{16} << 20;
  static constexpr size_t kMaxItemBytes = size_t{1} << 20;

  // Uses about `memory_bytes` for items and their index; at least 64 KiB.
  explicit RunSorter(size_t memory_bytes = kDefaultMemory);

  // `bytes`: at most kMaxItemBytes and a quarter of the memory. Fails if the temporary file cannot
  // be written.
  util::Status Add(int64_t time, std::span<const std::byte> bytes);
  // Call after the last Add() and before the first Next().
  util::Status Finish();

  struct Item {
    int64_t time = 0;
    std::span<const std::byte> bytes;  // valid until the next Next(); not aligned
  };
  // Returns the next item in order; false behind the last one.
  util::Result<bool> Next(Item& item);

  uint64_t items() const { return items_; }
  // Bytes and runs in the temporary file; 0 without one.
  uint64_t spilled_bytes() const { return file_bytes_; }
  size_t runs() const { return runs_.size(); }

 private:
  // The time and size before each item, in memory and in the file.
  static constexpr size_t kHeadBytes = sizeof(int64_t) + sizeof(uint32_t);
  struct Entry {
    int64_t time;
    uint64_t offset;  // of the item's head in arena_
  };
  struct Run {
    uint64_t next = 0;  // in the file: first byte that is not in the buffer
    uint64_t end = 0;
    int64_t last_time = 0;
    std::vector<std::byte> buffer;
    size_t at = 0;      // of the current item
    size_t filled = 0;  // bytes in the buffer
  };
  // The next item of a run.
  struct Contender {
    int64_t time;
    int64_t run;
  };

  void MakeRoom(size_t bytes);
  void SortEntries();
  void SortByDigits(int64_t least, int64_t most);
  util::Status Spill();
  util::Status CopyOut(const Entry& entry);
  util::Status WriteOut();
  util::Status StartMerge();
  // Reads the whole item at `run.at` into its buffer; false at the end of the run.
  util::Result<bool> Fill(Run& run);
  // Plays the next item of `run` against those of the other runs.
  util::Status Enter(size_t run);

  size_t memory_bytes_;
  // All three grow as they are filled.
  std::unique_ptr<std::byte[]> arena_;
  std::unique_ptr<Entry[]> entries_;
  std::unique_ptr<Entry[]> spare_;  // as large as entries_
  size_t arena_room_ = 0;
  size_t arena_size_ = 0;
  size_t count_ = 0;  // of entries_
  bool in_order_ = true;
  uint64_t items_ = 0;

  util::UniqueFd file_;
  uint64_t file_bytes_ = 0;
  std::unique_ptr<std::byte[]> out_;  // to be written to the file
  size_t out_size_ = 0;
  std::vector<Run> runs_;

  // State of Next().
  size_t next_entry_ = 0;
  std::vector<Contender> losers_;  // a tree; the winner is at the front
  bool advance_ = false;           // the winner's item was returned
};

}  // namespace sort
