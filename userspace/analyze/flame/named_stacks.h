// SPDX-License-Identifier: BSD-2-Clause
// The call stacks of a trace, and the names of their frames.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/flame/frame_names.h"
#include "fxt/id_map.h"
#include "fxt/record.h"
#include "fxt/text_map.h"
#include "schema/koid.h"
#include "schema/script_frame.h"
#include "schema/stack_id.h"

namespace analyze {

// Numbers for NamedStacks::text(), outermost first.
using StackFrames = std::vector<uint32_t>;

// The id of the stack that the event has (schema::category::kStack).
std::optional<uint64_t> StackOf(const fxt::Event& event);

// Whether the event declares a function (schema::symbol::kEvent).
bool IsSymbol(const fxt::Event& event);

// Collects stacks by id, and names their frames.
class NamedStacks {
 public:
  explicit NamedStacks(const LbrSymbolOptions& symbols) : names_(symbols) {}

  // Every record, in the order of the file.
  void Note(const fxt::Record& record);
  // The stack with this id in a process, by its present mappings. Nothing if the trace does not
  // define it.
  std::optional<StackFrames> FramesOf(fxt::Koid process, uint64_t stack);
  // The functions with names in a stack. `each`: void(uint32_t pid, const FrameFunction&).
  template <typename Each>
  void ForEachFunction(fxt::Koid process, uint64_t stack, Each&& each) {
    const auto addresses = stacks_.find(stack);
    if (addresses == stacks_.end()) return;
    const uint32_t pid = schema::TidOfKoid(process);
    ForEachFrame(addresses->second, [&](uint64_t address, bool is_return) {
      if (const auto function = names_.FunctionOf(pid, address, is_return)) each(pid, *function);
    });
  }
  // The name of the file of the outermost user frame; empty if it is in none.
  std::string OutermostFile(fxt::Koid process, uint64_t stack);
  // Changes when the process maps a file.
  uint64_t MappingsOf(fxt::Koid process) const {
    const auto mapped = mapped_.find(process);
    return mapped == mapped_.end() ? 0 : mapped->second;
  }
  // Calls each(uint64_t address, bool is_return) for the frames of a stack, innermost first. False
  // when the trace does not have the stack.
  template <typename Each>
  bool ForEachAddress(uint64_t stack, Each&& each) const {
    const auto addresses = stacks_.find(stack);
    if (addresses == stacks_.end()) return false;
    ForEachFrame(addresses->second, each);
    return true;
  }
  // See InnermostFrames(). Empty if the trace does not have the stack.
  std::string InnermostOf(fxt::Koid process, uint64_t stack, size_t most);
  FrameNames& names() { return names_; }
  const LbrPlaces& places() const { return names_.places(); }

  uint32_t Text(std::string text);
  const std::string& text(uint32_t number) const { return texts_[number]; }
  // The frame is one of the C library.
  bool IsOfCLibrary(uint32_t number) const { return of_c_library_[number]; }
  // Files without symbols, a line each.
  std::vector<std::string> Problems() const { return names_.places().Problems(); }

 private:
  struct StackKey {
    fxt::Koid process;
    uint64_t mapped;
    uint64_t stack;
    auto operator<=>(const StackKey&) const = default;
  };

  void NoteSymbol(const fxt::Event& event);
  // `each`: void(uint64_t address, bool is_return), innermost first.
  template <typename Each>
  static void ForEachFrame(const std::vector<uint64_t>& addresses, Each&& each) {
    bool kernel_before = false;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const bool kernel = schema::IsKernelAddress(addresses[i]);
      // The innermost frame of each half is an instruction, the others are return addresses.
      each(addresses[i],
           i > 0 && (kernel || !kernel_before) && !schema::IsScriptFrame(addresses[i]));
      kernel_before = kernel;
    }
  }

  FrameNames names_;
  fxt::IdMap<std::vector<uint64_t>> stacks_;  // addresses by number
  size_t addresses_ = 0;                      // of all stacks
  fxt::IdMap<uint64_t> mapped_;               // number of mappings, by process
  std::map<StackKey, StackFrames> known_;
  std::vector<std::string> texts_;
  std::vector<bool> of_c_library_;  // by number of a text
  fxt::TextMap<uint32_t> text_numbers_;
};

}  // namespace analyze
