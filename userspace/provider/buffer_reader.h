// SPDX-License-Identifier: BSD-2-Clause
// Copies records out of a provider's memory and checks their framing. The memory is untrusted
// input: the result has only records within bounds, and a count of invalid ones.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "provider/clock_pairs.h"
#include "provider/record_batch.h"
#include "provider/shared_buffer.h"

namespace provider {

class BufferReader {
 public:
  static constexpr size_t kMaxCategories = 100;
  static constexpr size_t kMaxCategoryBytes = 100;

  // `strings`: the budget of all string tables; null: unlimited.
  BufferReader(std::shared_ptr<const Identity> identity, SharedBuffer buffer,
               std::shared_ptr<UserBudget> strings = nullptr);

  SharedBuffer& buffer() { return buffer_; }
  const SharedBuffer& buffer() const { return buffer_; }

  // The committed bytes of all blocks, and those of them that ReadNew() has not read.
  size_t committed_bytes() const { return CountCommitted(false); }
  size_t new_bytes() const { return CountCommitted(true); }

  // Reads at most `limit` bytes of new records. For a streaming provider, frees the blocks that
  // were read completely.
  void ReadNew(size_t limit = SIZE_MAX);
  // The same, but keeps only counts and alerts; for buffers that ReadAll() copies later.
  void ScanNew(size_t limit);
  // Skips the new records and counts them as left out.
  void DropNew();
  // Reads all records without changing the buffer. Uses at most `limit` bytes of memory for the
  // newest blocks; counts the records of the others as left out.
  void ReadAll(size_t limit = SIZE_MAX);
  // Returns the records read since the last call, with times. The newest pair of `pairs` must be
  // later than the reading. Drops records before `since` or after `until`, ns of the same clock.
  // `ahead` is added to the times of a provider that uses CLOCK_MONOTONIC.
  std::unique_ptr<RecordBatch> Take(const ClockPairs& pairs, uint64_t ahead, uint64_t since,
                                    uint64_t until);
  // Records that the provider has lost by its own count, if that is plausible.
  uint64_t lost() const;

  // Names of categories in the provider's strings, up to a limit.
  const std::set<std::string>& categories() const { return categories_; }
  // Number of records read by ReadNew() and ScanNew().
  uint64_t records_seen() const { return records_seen_; }

 private:
  struct Progress {
    uint64_t sequence = 0;
    uint32_t consumed = 0;  // bytes
  };
  struct BlockOrder {
    uint64_t sequence;
    uint32_t index;
  };

  size_t CountCommitted(bool only_new) const;
  std::vector<BlockOrder> BlocksInOrder() const;
  // Copies bytes from `begin` of a block into piece_. False if the block got a new owner meanwhile.
  bool CopyBlock(uint32_t index, const SharedBuffer::BlockState& state, uint32_t begin);
  // Calls visit(offset, words) for each valid record in piece_.
  template <typename Visit>
  void ForEachRecord(Visit visit);
  // Appends the records in piece_.
  void Append(uint32_t tid);
  void NoteAlert(uint64_t header, uint64_t ticks);
  template <typename Read>
  void ReadBlocks(size_t limit, Read read);
  void ReadStrings();

  std::shared_ptr<const Identity> identity_;
  SharedBuffer buffer_;
  std::shared_ptr<UserBudget> string_budget_;
  std::vector<Progress> progress_;  // by block
  std::shared_ptr<StringTable> strings_;
  uint32_t strings_read_ = 1;      // indexes below this were read
  std::vector<uint32_t> missing_;  // those of them that were undefined
  std::set<std::string> categories_;
  std::vector<uint64_t> piece_;
  std::vector<uint64_t> words_;
  std::vector<RecordEntry> entries_;  // times are ticks
  std::vector<RecordEntry> alerts_;   // of ScanNew(): time in ticks, offset is the name's index
  uint64_t invalid_ = 0;
  uint64_t left_out_ = 0;  // by ReadAll()
  uint64_t reported_lost_ = 0;
  uint64_t records_seen_ = 0;
};

}  // namespace provider
