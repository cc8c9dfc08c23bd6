// SPDX-License-Identifier: BSD-2-Clause
// The call stacks of a trace and the names of their frames.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/flame/frame_names.h"
#include "fxt/record.h"

namespace analyze {

// Numbers for NamedStacks::text(), outermost first.
using StackFrames = std::vector<uint32_t>;

// Whether the event stands for a stack (schema::category::kStack), and the number of that.
std::optional<uint64_t> StackOf(const fxt::Event& event);

class NamedStacks {
 public:
  explicit NamedStacks(const LbrSymbolOptions& symbols) : names_(symbols) {}

  // Every record, in the order of the file.
  void Note(const fxt::Record& record);
  // The stack of this number in that process, as its mappings are now. Empty when the trace does
  // not say what is in it.
  std::optional<StackFrames> FramesOf(fxt::Koid process, uint64_t stack);

  uint32_t Text(std::string text);
  const std::string& text(uint32_t number) const { return texts_[number]; }
  // Of finding names.
  std::vector<std::string> Problems() const { return names_.places().Problems(); }

 private:
  struct Known {
    fxt::Koid process;
    uint64_t mapped;
    uint64_t stack;
    auto operator<=>(const Known&) const = default;
  };

  FrameNames names_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> stacks_;  // addresses by number
  size_t addresses_ = 0;                                        // of all stacks
  std::unordered_map<fxt::Koid, uint64_t> mapped_;              // mappings told of, by process
  std::map<Known, StackFrames> known_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint32_t> text_numbers_;
};

}  // namespace analyze
