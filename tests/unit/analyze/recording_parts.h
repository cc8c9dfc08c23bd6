// SPDX-License-Identifier: BSD-2-Clause
// A small sound recording as fxt-record writes it, in labelled parts that tests can damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fxt/record.h"

namespace analyze::testing {

class RecordingParts {
 public:
  // Without parts.
  RecordingParts() = default;
  // Two CPUs, a process with two threads, and one of everything a recording has; see the source.
  static RecordingParts Sound();
  // The same, followed by this many switches "switch 0" and so on, so that times have neighbours.
  static RecordingParts Long(size_t switches);

  template <typename T>
  RecordingParts& Add(std::string label, const T& record) {
    return AddWords(std::move(label), Encode(fxt::Record(record)));
  }
  RecordingParts& AddWords(std::string label, std::vector<uint64_t> words);

  // The words of the part, to be changed.
  std::vector<uint64_t>& At(const std::string& label);
  RecordingParts& Remove(const std::string& label);
  // New parts before or behind another one.
  RecordingParts& Before(const std::string& label, std::string new_label,
                         const fxt::Record& record);
  RecordingParts& After(const std::string& label, std::string new_label, const fxt::Record& record);
  RecordingParts& Replace(const std::string& label, const fxt::Record& record);
  RecordingParts& Swap(const std::string& a, const std::string& b);

  // Byte offset of the part as things are now.
  uint64_t Offset(const std::string& label) const;
  // Labels are "" for offsets in no part's beginning.
  std::string LabelAt(uint64_t offset) const;
  // The file; valid until something changes.
  std::span<const std::byte> Bytes();

  static std::vector<uint64_t> Encode(const fxt::Record& record);

 private:
  struct Part {
    std::string label;
    std::vector<uint64_t> words;
  };
  size_t Find(const std::string& label) const;

  std::vector<Part> parts_;
  std::vector<uint64_t> words_;
};

// Contents of the valid recording, for expectations.
inline constexpr fxt::Koid kApp = 100;     // process, and its first thread
inline constexpr fxt::Koid kWorker = 101;  // its second thread
inline constexpr fxt::Koid kIdle0 = fxt::Koid{1023} << 22;
inline constexpr fxt::Koid kIdle1 = kIdle0 | 1;

}  // namespace analyze::testing
