// SPDX-License-Identifier: BSD-2-Clause
// Records that were copied out of a provider's memory. Only their framing is checked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fxt/reader_provider.h"
#include "provider/user_budget.h"

namespace provider {

// The id of marks. No provider has it.
inline constexpr uint32_t kMarksId = 0;

// Identifies a provider.
struct Identity {
  uint32_t id = 0;  // unique in a ProviderSet
  uint32_t pid = 0;
  std::string name{};
  uid_t user = 0;
  // Start time of the process, as in util::ProcessHandle; 0: unknown.
  uint64_t start_ticks = 0;
};

// The strings of a provider, by index. A defined string never changes.
class StringTable {
 public:
  // Limit of one table. The strings of one provider's shared memory and their slots fit.
  static constexpr size_t kMaxBytes = size_t{5} << 19;

  StringTable() : StringTable(nullptr, 0) {}
  // `total`: the budget of all tables; null: unlimited.
  StringTable(std::shared_ptr<UserBudget> total, uid_t user)
      : share_(std::move(total), user), provider_(0, budget_) {
    if (Grow()) provider_.DefineThread(1, 0, 0);
  }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  // False: a limit is reached; the index is undefined.
  bool Define(uint16_t index, std::string_view text);
  // Defines the strings of `other`, below `end`. False: a limit is reached.
  bool DefineAll(const StringTable& other, uint32_t end);
  // Null: undefined.
  const std::string* Find(uint16_t index) const { return provider_.FindString(index); }
  // The stored hash of a defined string. Records of 16 bytes may refer to strings of 4,096 bytes,
  // so hashing the text for each record would let a provider slow down the recorder.
  uint64_t HashOf(uint16_t index) const { return index < hashes_.size() ? hashes_[index] : 0; }
  // For fxt::RecordParser. Thread 1 is the thread of the record's block.
  const fxt::ReaderProvider& provider() const { return provider_; }
  size_t bytes() const { return sizeof(StringTable) + budget_.used; }

 private:
  bool Grow();

  fxt::TableBudget budget_;
  BudgetShare share_;
  fxt::ReaderProvider provider_;
  std::vector<uint64_t> hashes_;  // by index
};

struct RecordEntry {
  uint64_t time = 0;    // ns of CLOCK_MONOTONIC
  uint32_t tid = 0;     // claimed by the provider
  uint32_t offset = 0;  // in words
};

struct Alert {
  uint64_t time = 0;  // ns of CLOCK_MONOTONIC
  std::string name;
};
// Limit of pending alerts. Further ones are dropped.
inline constexpr size_t kMaxAlerts = 1024;

struct RecordBatch {
  // Memory of the batch without shared strings, bytes.
  size_t bytes() const {
    return sizeof(RecordBatch) + words.capacity() * sizeof(uint64_t) +
           entries.capacity() * sizeof(RecordEntry);
  }
  // The words of a record; its header has their number.
  std::span<const uint64_t> WordsOf(const RecordEntry& entry) const {
    return std::span(words).subspan(entry.offset, words[entry.offset] >> 4 & 0xfff);
  }

  std::shared_ptr<const Identity> identity;
  std::shared_ptr<const StringTable> strings;
  std::vector<uint64_t> words;
  std::vector<RecordEntry> entries;  // by time
  std::vector<Alert> alerts;
  uint64_t lost = 0;      // records that found no room, since the previous batch
  uint64_t left_out = 0;  // records beyond a limit of the reader
  uint64_t invalid = 0;   // records with an invalid framing or type
  bool last = false;      // no other batch of the provider follows
};

// Replaces the table of `batch` by one with only the strings that its records refer to, and shrinks
// its vectors. Returns the memory of the batch with its strings.
size_t Compact(RecordBatch& batch);

// Providers that were refused because there were too many.
struct Refusal {
  uint64_t time = 0;  // ns of CLOCK_MONOTONIC, of the last one
  uint64_t count = 0;
  uid_t user = 0;
  std::string name = {};  // of the last one
};

// The data of providers for a file or a part of it.
struct ProviderRecords {
  std::vector<std::shared_ptr<const RecordBatch>> batches;
  std::vector<Refusal> refusals;  // by time
};

}  // namespace provider
