// SPDX-License-Identifier: BSD-2-Clause
// Several traces in one archive, in the order of time.
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

// Every trace keeps its providers, under ids of their own, with nanoseconds as ticks. Records come
// in the order of time whether they were or not; definitions stand in front. An index that a trace
// defines anew stands for the first one; what it means later goes inline.
class TraceMerger {
 public:
  explicit TraceMerger(size_t sort_memory = sort::RunSorter::kDefaultMemory);

  // Reads a trace to its end. `offset`: ns to add to its times; what would be before 0 is at 0.
  // `follows`: an earlier recording of the same CPUs is among the others. What they did between the
  // two is told as missing.
  util::Status Add(fxt::ByteSource& source, int64_t offset, const KoidMap& koids, bool follows);
  // After the last one.
  util::Status Write(fxt::ByteSink& sink);

  uint64_t records() const { return records_; }  // definitions not counted
  uint64_t refused() const { return refused_; }  // too long with what had to go inline
  // Last-branch blobs whose own times and CPUs are those of their trace still.
  uint64_t unmoved_blobs() const { return unmoved_blobs_; }
  uint64_t clamped() const { return clamped_; }  // records that would be before 0

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
  // At the time in hand.
  util::Status DeclareGap();
  util::Status Enter(const fxt::ReaderProvider& provider);
  // Writes `record` for the provider in hand at `time`.
  util::Status Put(int64_t time, const fxt::Record& record);
  util::Status Define(const fxt::Record& record) { return Put(INT64_MIN, record); }
  // What the record becomes here: koids, times and references.
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

  // Of the trace in hand.
  int64_t offset_ = 0;
  const KoidMap* koids_ = nullptr;
  std::unordered_map<uint32_t, Provider> providers_;
  Provider* provider_ = nullptr;
  bool follows_ = false;
  int64_t time_ = INT64_MIN;  // of its last record that has one
  std::array<fxt::Argument, fxt::kMaxArguments> arguments_;
};

}  // namespace analyze
