// SPDX-License-Identifier: BSD-2-Clause
// The requests of a trace with their critical paths, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "path/path_reader.h"
#include "path/request.h"

namespace analyze {

class PathSet {
 public:
  static constexpr size_t kMaxBytes = size_t{80} << 20;

  struct Entry {
    path::Request request;
    std::vector<path::Part> parts;
  };

  explicit PathSet(size_t max_bytes = kMaxBytes) : free_(max_bytes) {}

  // For path::PathReader. A request that finds no room is counted and left out.
  void Add(const path::Request& request, std::span<const path::Part> parts);
  // The reader that the requests came from; it must outlive the set. Names are those at its end.
  void SetReader(const path::PathReader& reader) { reader_ = &reader; }

  // In order of their ends.
  const std::vector<Entry>& entries() const { return entries_; }
  uint64_t left_out() const { return left_out_; }
  const path::PathReader& reader() const { return *reader_; }

  // Text of a terminal. "?" for threads without a name.
  std::string ThreadName(facts::ThreadIndex thread) const;
  // "name 1234".
  std::string ThreadWithId(facts::ThreadIndex thread) const;
  uint64_t TidOf(facts::ThreadIndex thread) const {
    return reader_->NumberOf(reader_->KoidOf(thread));
  }
  std::string Text(path::Label label) const;

  // What a part waited for: of kRunnable the thread that had the CPU. "" if it is not known.
  std::string WaitedFor(const path::Part& part, bool with_id) const;
  // "runnable: hog 12 has the CPU", "device: block read vda".
  std::string Describe(const path::Part& part, bool with_id) const;

 private:
  size_t free_;
  std::vector<Entry> entries_;
  uint64_t left_out_ = 0;
  const path::PathReader* reader_ = nullptr;
};

}  // namespace analyze
