// SPDX-License-Identifier: BSD-2-Clause
// Puts items in the order of their times in bounded memory: sorted runs go to an unnamed temporary
// file and are merged (an external merge sort).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
    std::span<const std::byte> bytes;  // until the next Next(), aligned to nothing
  };
  // The next in order; false behind the last one.
  util::Result<bool> Next(Item& item);

  uint64_t items() const { return items_; }
  // Bytes that went to the temporary file, and runs there; 0 when there is none.
  uint64_t spilled_bytes() const { return file_bytes_; }
  size_t runs() const { return runs_.size(); }

 private:
  // Before each item, in memory and in the file: its time, and how many bytes it has.
  static constexpr size_t kHeadBytes = sizeof(int64_t) + sizeof(uint32_t);
  struct Entry {
    int64_t time;
    uint64_t offset;  // of its head in arena_
  };
  struct Run {
    uint64_t next = 0;  // in the file: first byte that is not in the buffer
    uint64_t end = 0;
    int64_t last_time = 0;
    std::vector<std::byte> buffer;
    size_t at = 0;      // of the item in hand
    size_t filled = 0;  // bytes of the buffer
  };
  // Whose turn it is: the item of a run that is next.
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
  // Makes the item at `run.at` whole in its buffer; false at the end of the run.
  util::Result<bool> Fill(Run& run);
  // Lets the next item of `run` find its place among those of the others.
  util::Status Enter(size_t run);

  size_t memory_bytes_;
  // All three take memory as they are filled.
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

  // While they are handed out.
  size_t next_entry_ = 0;
  std::vector<Contender> losers_;  // a tree, with the winner above it in front
  bool advance_ = false;           // the winner's item was handed out
};

}  // namespace sort
