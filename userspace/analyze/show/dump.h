// SPDX-License-Identifier: BSD-2-Clause
// A line of text, or of JSON, per record, with references resolved.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "facts/linux_state_tracker.h"
#include "facts/task_names.h"
#include "fxt/reader.h"
#include "text/json_writer.h"

namespace analyze {

struct DumpOptions {
  bool json = false;
  bool raw = false;       // offset and words as well
  bool relative = false;  // times since the first record that has one
};

// Feed it every record of a trace; Print those that are wanted.
class Dumper {
 public:
  explicit Dumper(DumpOptions options) : options_(options) {}

  // Takes note of names and states.
  void Note(const fxt::Reader& reader);
  // The line of the record that `reader` stands at, after its Note.
  void Print(const fxt::Reader& reader, fmt::memory_buffer& out) const;

  const facts::TaskNames& names() const { return names_; }

 private:
  void PrintText(const fxt::Reader& reader, fmt::memory_buffer& out) const;
  void PrintJson(const fxt::Reader& reader, fmt::memory_buffer& out) const;

  DumpOptions options_;
  facts::TaskNames names_;
  facts::LinuxStateTracker states_;
  bool started_ = false;
  uint64_t start_ = 0;
};

}  // namespace analyze
