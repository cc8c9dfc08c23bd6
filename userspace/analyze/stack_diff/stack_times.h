// SPDX-License-Identifier: BSD-2-Clause
// How long the threads of groups slept, and how often they ran, at each of their call stacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "facts/kernel_sections.h"
#include "facts/task_names.h"
#include "facts/timeline/sleep_purposes.h"
#include "fxt/reader.h"
#include "fxt/text_map.h"

namespace analyze {

// The time of one stack in one capture.
struct StackTime {
  // Sums of sleeps up to when the thread runs again, ns, by facts::WaitsFor.
  std::array<uint64_t, facts::kWaitsFor> slept{};    // in S
  std::array<uint64_t, facts::kWaitsFor> blocked{};  // in D
  uint64_t samples = 0;                              // on the CPU
};

// Texts of frames by number, shared by all captures of a comparison.
class FramePool {
 public:
  uint32_t Add(std::string_view text, bool of_c_library = false);
  const std::string& operator[](uint32_t number) const { return *texts_[number]; }
  bool IsOfCLibrary(uint32_t number) const { return of_c_library_[number]; }

 private:
  fxt::TextMap<uint32_t> numbers_;
  std::vector<const std::string*> texts_;  // keys of the map
  std::vector<bool> of_c_library_;
};

// Groups by names of process and thread with digits folded (measure::FoldDigits), each with a
// number. One capture may have another name for a group than the others.
using GroupNumbers = std::map<std::pair<std::string, std::string>, size_t>;

// The stacks of groups in a row of captures.
class StackTimes {
 public:
  // Limits for damaged traces. A machine has fewer.
  static constexpr size_t kMaxStacks = size_t{1} << 16;

  struct Key {
    size_t group = 0;
    StackFrames frames;  // numbers in frames(), outermost first
    auto operator<=>(const Key&) const = default;
  };

  // Begins the next capture, of these groups. Returns its position.
  size_t BeginCapture() { return captures_++; }
  size_t captures() const { return captures_; }
  // The entry of the capture that began last; null beyond the limit.
  StackTime* Find(const Key& key);

  FramePool& frames() { return frames_; }
  const FramePool& frames() const { return frames_; }
  // By capture; shorter where the last ones do not have the stack.
  const std::map<Key, std::vector<StackTime>>& all() const { return times_; }
  uint64_t left_out() const { return left_out_; }  // occurrences beyond the limit

 private:
  size_t captures_ = 0;
  FramePool frames_;
  std::map<Key, std::vector<StackTime>> times_;
  uint64_t left_out_ = 0;
};

// Adds a capture to `times`, for which BeginCapture() was called. Feed it every record.
class StackTimesReader {
 public:
  // All must outlive it.
  StackTimesReader(const GroupNumbers& groups, const LbrSymbolOptions& symbols, StackTimes& times)
      : groups_(groups), times_(times), stacks_(symbols) {}

  void Add(const fxt::Reader& reader);

 private:
  void AddStack(const fxt::Event& event, uint64_t time, uint64_t stack);

  const GroupNumbers& groups_;
  StackTimes& times_;
  NamedStacks stacks_;
  facts::KernelSections sections_;
  facts::TaskNames objects_;
  facts::SleepPurposes purposes_;
};

}  // namespace analyze
