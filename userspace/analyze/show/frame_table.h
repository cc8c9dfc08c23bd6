// SPDX-License-Identifier: BSD-2-Clause
// `stackFrames` of the Trace Event Format: each frame once, with the frame that called it, so that
// an event names its whole stack by the number of the innermost one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "fxt/record.h"
#include "text/json_writer.h"
#include "text/text_writer.h"

namespace analyze {

class FrameTable {
 public:
  explicit FrameTable(const LbrSymbolOptions& symbols) : stacks_(symbols) {}

  // Every record, in the order of the file.
  void Note(const fxt::Record& record) { stacks_.Note(record); }
  // The number of its stack's innermost frame. Empty when it has no stack, or one that the trace
  // does not explain, or when there are more than four million frames.
  std::optional<uint32_t> FrameOf(const fxt::Event& event);
  bool empty() const { return frames_.empty(); }
  // As a member of the object that `json` is in, which writes to `out`.
  void Write(text::JsonWriter& json, text::TextWriter& out) const;

 private:
  static constexpr uint32_t kNoFrame = UINT32_MAX;

  NamedStacks stacks_;
  // By the frame that called it and its name; numbered from 0.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
  std::vector<std::pair<uint32_t, uint32_t>> frames_;
};

}  // namespace analyze
