// SPDX-License-Identifier: BSD-2-Clause
// Call stacks of a trace, folded: how much of which stack there is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "facts/kernel_sections.h"
#include "facts/object_names.h"
#include "fxt/reader.h"

namespace analyze {

enum class FlameKind : uint8_t {
  kOff,   // microseconds off the CPU
  kOn,    // samples on the CPU
  kWake,  // wakeups: the stack of the sleeper, and above it that of its waker, innermost first
};
// "off", "on", "wake".
std::string_view NameOf(FlameKind kind);
std::optional<FlameKind> FlameKindNamed(std::string_view name);
// "microseconds", "samples", "wakeups".
std::string_view UnitOf(FlameKind kind);

// Process, thread, then frames from the outermost one in.
using FoldedStack = std::vector<std::string>;
using FoldedStacks = std::map<FoldedStack, uint64_t>;

struct FlameCounts {
  uint64_t stacks = 0;     // occurrences of the kind that was asked for
  uint64_t others = 0;     // of other kinds
  uint64_t undefined = 0;  // whose addresses the trace does not have
  uint64_t dropped = 0;    // beyond what is kept in memory
};

// Stands between the stack of a sleeper and that of its waker.
inline constexpr std::string_view kWakerMark = "--";

// Feed it every record, then Finish.
class FlameBuilder {
 public:
  FlameBuilder(FlameKind kind, const LbrSymbolOptions& symbols) : kind_(kind), stacks_(symbols) {}

  void Add(const fxt::Reader& reader);
  // Threads whose names differ in digits alone are put together.
  FoldedStacks Finish();

  const FlameCounts& counts() const { return counts_; }
  // Of finding names.
  std::vector<std::string> Problems() const { return stacks_.Problems(); }

 private:
  struct Wake {
    fxt::Koid process = 0;
    fxt::Koid thread = 0;  // the waker
    StackFrames frames;
  };

  void AddStack(const fxt::Event& event, uint64_t stack);
  void Count(fxt::Koid process, fxt::Koid thread, const StackFrames& frames, uint64_t weight);
  void CountWake(fxt::Koid woken, const StackFrames& sleeper, const Wake& wake);

  FlameKind kind_;
  NamedStacks stacks_;
  facts::KernelSections sections_;
  facts::ObjectNames objects_;
  FlameCounts counts_;
  struct Key {
    fxt::Koid process;
    fxt::Koid thread;
    StackFrames frames;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, uint64_t> weights_;
  std::unordered_map<fxt::Koid, Wake> wakes_;  // of threads whose own stack is still to come
};

}  // namespace analyze
