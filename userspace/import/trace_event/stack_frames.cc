// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/stack_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace importer {

bool StackFrames::Add(std::string_view id, std::string_view name, std::string_view category,
                      std::string_view parent) {
  constexpr size_t kFrameBytes = 150;  // size of the map's node
  const size_t bytes = kFrameBytes + id.size() + name.size() + category.size() + parent.size();
  if (bytes > kMaxBytes - bytes_) return false;
  bytes_ += bytes;
  std::string text(name);
  // Appends the category in parentheses, also an empty one if the name itself ends in parentheses.
  if (!category.empty() || (name.ends_with(')') && name.find(" (") != std::string_view::npos)) {
    text += fmt::format(" ({})", category);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  frames_[std::string(id)] = {std::move(text), std::string(parent)};
  return true;
}

std::string StackFrames::StackOf(std::string_view id) const {
  std::vector<const Frame*> stack;
  for (auto found = frames_.find(std::string(id)); found != frames_.end();) {
    stack.push_back(&found->second);
    const std::string& parent = found->second.parent;
    if (parent.empty() || stack.size() == kMaxDepth) break;
    found = frames_.find(parent);
  }
  std::string text;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    if (!text.empty()) text += '\n';
    text += (*frame)->name;
  }
  return text;
}

}  // namespace importer
