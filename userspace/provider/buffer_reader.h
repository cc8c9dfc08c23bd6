// SPDX-License-Identifier: BSD-2-Clause
// Copies records out of a provider's memory and looks at their framing. Whatever the provider does
// to the memory, at any time: what comes out are records within bounds, or their number as invalid.
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
  BufferReader(std::shared_ptr<const Identity> identity, SharedBuffer buffer);

  SharedBuffer& buffer() { return buffer_; }
  const SharedBuffer& buffer() const { return buffer_; }

  // What has come since the last call. Blocks that were read to their end are given back where the
  // provider waits for that.
  void ReadNew();
  // All that there is, for as long as it is there; changes nothing.
  void ReadAll();
  // What was read since the last call, with times: `pairs` has a pair later than the reading.
  // `since`, `until`: ns of the same clock; what is earlier or later is none of the recording.
  // `ahead`: what is added to the provider's CLOCK_MONOTONIC, where that is its clock.
  std::unique_ptr<RecordBatch> Take(const ClockPairs& pairs, uint64_t ahead, uint64_t since,
                                    uint64_t until);
  // Records that the provider lost since it has this memory, as far as that can be believed.
  uint64_t lost() const;

  // The categories that the provider has named so far.
  const std::set<std::string>& categories() const { return categories_; }
  // Of ReadNew().
  uint64_t records_seen() const { return records_seen_; }

 private:
  struct Progress {
    uint64_t sequence = 0;
    uint32_t consumed = 0;  // bytes
  };
  struct Raw {
    uint64_t ticks = 0;
    uint32_t tid = 0;
    uint32_t offset = 0;
    uint32_t words = 0;
  };
  struct Turn {
    uint64_t sequence;
    uint32_t index;
  };

  std::vector<Turn> BlocksInOrder() const;
  // Bytes `begin` to `end` of a block; false when it changed hands meanwhile.
  bool CopyBlock(uint32_t index, const SharedBuffer::BlockState& state, uint32_t begin);
  void Frame(uint32_t tid);
  void ReadStrings();

  std::shared_ptr<const Identity> identity_;
  SharedBuffer buffer_;
  std::vector<Progress> progress_;  // by block
  std::shared_ptr<StringTable> strings_ = std::make_shared<StringTable>();
  uint32_t strings_read_ = 1;      // indexes below this were looked at
  std::vector<uint32_t> missing_;  // of them, those without a string
  std::set<std::string> categories_;
  std::vector<uint64_t> piece_;
  std::vector<uint64_t> words_;
  std::vector<Raw> raw_;
  uint64_t invalid_ = 0;
  uint64_t reported_lost_ = 0;
  uint64_t records_seen_ = 0;
};

}  // namespace provider
