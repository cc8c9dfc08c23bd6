// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/frame_table.h"

#include <fmt/format.h>

#include <string>

namespace analyze {

std::optional<uint32_t> FrameTable::NumberOf(uint32_t parent, uint32_t text) {
  constexpr size_t kMaxFrames = size_t{1} << 22;
  const std::pair key(parent, text);
  auto found = numbers_.find(key);
  if (found == numbers_.end()) {
    if (frames_.size() >= kMaxFrames) return std::nullopt;
    found = numbers_.emplace(key, static_cast<uint32_t>(frames_.size())).first;
    frames_.push_back(key);
  }
  return found->second;
}

std::optional<uint32_t> FrameTable::FrameOf(std::string_view lines) {
  constexpr size_t kMaxLines = size_t{1} << 18;
  uint32_t innermost = kNoFrame;
  for (;;) {
    const size_t end = lines.find('\n');
    std::string line(lines.substr(0, end));
    auto known = line_numbers_.find(line);
    if (known == line_numbers_.end()) {
      if (lines_.size() == kMaxLines) return std::nullopt;
      known = line_numbers_.emplace(line, static_cast<uint32_t>(lines_.size())).first;
      lines_.push_back(std::move(line));
    }
    const auto number = NumberOf(innermost, kLine | known->second);
    if (!number) return std::nullopt;
    innermost = *number;
    if (end == std::string_view::npos) return innermost;
    lines.remove_prefix(end + 1);
  }
}

std::optional<uint32_t> FrameTable::FrameOf(const fxt::Event& event) {
  const auto stack = StackOf(event);
  if (!stack) return std::nullopt;
  const auto frames = stacks_.FramesOf(event.thread.process, *stack);
  if (!frames || frames->empty()) return std::nullopt;
  uint32_t innermost = kNoFrame;
  for (const uint32_t text : *frames) {
    const auto number = NumberOf(innermost, text);
    if (!number) return std::nullopt;
    innermost = *number;
  }
  return innermost;
}

void FrameTable::Write(text::JsonWriter& json, text::TextWriter& out) const {
  json.Key("stackFrames").BeginObject();
  for (size_t i = 0; i < frames_.size(); ++i) {
    const auto& [parent, text] = frames_[i];
    json.Line().Key(fmt::format("{}", i)).BeginObject();
    if ((text & kLine) != 0) {
      std::string_view name = lines_[text & ~kLine];
      const size_t open = name.ends_with(')') ? name.rfind(" (") : std::string_view::npos;
      if (open != std::string_view::npos) {
        const std::string_view category = name.substr(open + 2, name.size() - open - 3);
        if (!category.empty()) json.Key("category").String(category);
        name = name.substr(0, open);
      }
      json.Key("name").String(name);
    } else {
      const std::string& name = stacks_.text(text);
      json.Key("category").String(name.ends_with("_[k]") ? "kernel" : "process");
      json.Key("name").String(name);
    }
    if (parent != kNoFrame) json.Key("parent").String(fmt::format("{}", parent));
    json.EndObject();
    out.FlushIfFull();
  }
  json.EndObject();
}

}  // namespace analyze
