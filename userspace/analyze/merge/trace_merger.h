// SPDX-License-Identifier: BSD-2-Clause
// Merges several traces into one archive, in time order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/merge/koid_space.h"
#include "fxt/byte_sink.h"
#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"
#include "sort/run_sorter.h"
#include "util/result.h"

namespace analyze {

// Each trace keeps its providers, under new ids, with nanoseconds as ticks. Sorts records by time;
// definitions come first. If a trace redefines an index, the index keeps its first meaning and
// later ones become inline.
class TraceMerger {
 public:
  explicit TraceMerger(size_t sort_memory = sort::RunSorter::kDefaultMemory);

  // Reads a trace to its end. `offset`: ns to add to its times; negative results become 0.
  // `follows`: the traces include an earlier recording of the same CPUs. The time between the two
  // is declared as a gap.
  util::Status Add(fxt::ByteSource& source, int64_t offset, const KoidMap& koids, bool follows);
  // Call after the last Add().
  util::Status Write(fxt::ByteSink& sink);

  uint64_t records() const { return records_; }  // definitions not counted
  uint64_t refused() const { return refused_; }  // too long after references became inline
  // Last-branch blobs, whose inner times and CPUs are not adjusted.
  uint64_t unmoved_blobs() const { return unmoved_blobs_; }
  uint64_t clamped() const { return clamped_; }  // records whose time would be negative

 private:
  struct Provider {
    uint32_t id = 0;
    std::string name;
    std::unordered_map<uint16_t, std::string> strings;
    std::map<uint8_t, std::pair<fxt::Koid, fxt::Koid>> threads;
  };
  class Words final : public fxt::ByteSink {
   public:
    bool Write(std::span<const std::byte> records) override {
      bytes.insert(bytes.end(), records.begin(), records.end());
      return true;
    }
    std::vector<std::byte> bytes;
  };

  util::Status AddRecord(const fxt::Reader& reader);
  // Declares a gap at the current time.
  util::Status DeclareGap();
  util::Status Enter(const fxt::ReaderProvider& provider);
  // Writes `record` for the current provider at `time`.
  util::Status Put(int64_t time, const fxt::Record& record);
  util::Status Define(const fxt::Record& record) { return Put(INT64_MIN, record); }
  // Adjusts koids, times and references of the record.
  util::Status Mend(const fxt::Reader& reader, fxt::Record& record);
  util::Status MendString(fxt::StringRef& string);
  util::Status MendThread(fxt::ThreadRef& thread);
  util::Status MendArguments(std::span<const fxt::Argument>& arguments, bool renumbered);
  uint64_t Move(const fxt::Reader& reader, uint64_t ticks);

  sort::RunSorter sorter_;
  Words words_;
  fxt::RecordBuffer buffer_{words_};
  fxt::Encoder encoder_{buffer_};
  std::vector<std::byte> item_;
  uint32_t last_id_ = 0;
  uint64_t records_ = 0;
  uint64_t refused_ = 0;
  uint64_t unmoved_blobs_ = 0;
  uint64_t clamped_ = 0;

  // State of the current trace.
  int64_t offset_ = 0;
  const KoidMap* koids_ = nullptr;
  std::unordered_map<uint32_t, Provider> providers_;
  Provider* provider_ = nullptr;
  bool follows_ = false;
  int64_t time_ = INT64_MIN;  // of its last record that has one
  std::array<fxt::Argument, fxt::kMaxArguments> arguments_;
};

}  // namespace analyze
