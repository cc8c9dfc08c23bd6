// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/frame_table.h"

#include <fmt/format.h>

#include <string>

namespace analyze {

std::optional<uint32_t> FrameTable::FrameOf(const fxt::Event& event) {
  constexpr size_t kMaxFrames = size_t{1} << 22;
  const auto stack = StackOf(event);
  if (!stack) return std::nullopt;
  const auto frames = stacks_.FramesOf(event.thread.process, *stack);
  if (!frames || frames->empty()) return std::nullopt;
  uint32_t innermost = kNoFrame;
  for (const uint32_t text : *frames) {
    const std::pair key(innermost, text);
    auto found = numbers_.find(key);
    if (found == numbers_.end()) {
      if (frames_.size() >= kMaxFrames) return std::nullopt;
      found = numbers_.emplace(key, static_cast<uint32_t>(frames_.size())).first;
      frames_.push_back(key);
    }
    innermost = found->second;
  }
  return innermost;
}

void FrameTable::Write(text::JsonWriter& json, text::TextWriter& out) const {
  json.Key("stackFrames").BeginObject();
  for (size_t i = 0; i < frames_.size(); ++i) {
    const auto& [parent, text] = frames_[i];
    const std::string& name = stacks_.text(text);
    json.Line().Key(fmt::format("{}", i)).BeginObject();
    json.Key("category").String(name.ends_with("_[k]") ? "kernel" : "process");
    json.Key("name").String(name);
    if (parent != kNoFrame) json.Key("parent").String(fmt::format("{}", parent));
    json.EndObject();
    out.FlushIfFull();
  }
  json.EndObject();
}

}  // namespace analyze
