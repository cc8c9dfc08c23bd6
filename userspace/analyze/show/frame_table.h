// SPDX-License-Identifier: BSD-2-Clause
// `stackFrames` of the Trace Event Format: each frame once, with the frame that called it, so that
// an event names its whole stack by the number of the innermost one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "fxt/record.h"
#include "fxt/text_map.h"
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
  // The same of a stack whose frames are known, root first, a line each: "name (category)".
  std::optional<uint32_t> FrameOf(std::string_view lines);
  bool empty() const { return frames_.empty(); }
  // As a member of the object that `json` is in, which writes to `out`.
  void Write(text::JsonWriter& json, text::TextWriter& out) const;

 private:
  static constexpr uint32_t kNoFrame = UINT32_MAX;

  // In the place of a text of `stacks_`: one of `lines_`.
  static constexpr uint32_t kLine = 0x80000000;
  // The number of the frame `text` that `parent` called; empty if there are too many frames.
  std::optional<uint32_t> NumberOf(uint32_t parent, uint32_t text);

  NamedStacks stacks_;
  std::vector<std::string> lines_;
  fxt::TextMap<uint32_t> line_numbers_;
  // By the frame that called it and its name; numbered from 0.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
  std::vector<std::pair<uint32_t, uint32_t>> frames_;
};

}  // namespace analyze
