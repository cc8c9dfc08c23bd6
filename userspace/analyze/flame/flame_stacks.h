// SPDX-License-Identifier: BSD-2-Clause
// Folded stacks of a trace: how much time or how many events each call stack has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "facts/kernel_sections.h"
#include "facts/task_names.h"
#include "facts/timeline/sleep_purposes.h"
#include "fxt/reader.h"
#include "schema/stack_end_counts.h"

namespace analyze {

enum class FlameKind : uint8_t {
  kOff,   // microseconds off the CPU
  kOn,    // samples on the CPU
  kWake,  // wakeups: the stack of the sleeper, and above it that of the waker, innermost first
};
// "off", "on", "wake".
std::string_view NameOf(FlameKind kind);
std::optional<FlameKind> FlameKindNamed(std::string_view name);
// "microseconds", "samples", "wakeups".
std::string_view UnitOf(FlameKind kind);

// Process, thread, and frames from the outermost to the innermost.
using FoldedStack = std::vector<std::string>;
using FoldedStacks = std::map<FoldedStack, uint64_t>;

// Joins processes, and threads, whose names differ in digits alone: "worker 1" and "worker 2"
// become "worker #". A name that no other one is joined with keeps its digits. All sides, which are
// compared with each other, get the same names.
void JoinNames(std::span<FoldedStacks* const> sides);
// The same of one side, or of two: `other` is null for none.
void JoinNames(FoldedStacks& stacks, FoldedStacks* other = nullptr);

struct FlameCounts {
  uint64_t recorded = 0;   // occurrences of the kind
  uint64_t stacks = 0;     // those that are selected
  uint64_t others = 0;     // of other kinds
  uint64_t undefined = 0;  // without addresses in the trace
  uint64_t dropped = 0;    // beyond the limit of memory
  uint64_t idle = 0;       // hidden: sleeps for work
  schema::StackEndCounts ends;
};

// The frame between the stack of a sleeper and that of its waker.
inline constexpr std::string_view kWakerMark = "--";

// Which stacks count. A wakeup is one of the sleeper's; it counts when that runs again.
struct FlameSelection {
  // By koid and name; null: all.
  std::function<bool(fxt::Koid koid, std::string_view name)> process = nullptr;
  std::function<bool(fxt::Koid koid, std::string_view name)> thread = nullptr;
  // ns, of the sample or the end of the sleep; null: always.
  std::function<bool(uint64_t time)> time = nullptr;
  uint64_t min_away = 0;   // ns; of sleeps
  bool hide_idle = false;  // without sleeps for work
};

// Adds up the stacks of a trace. Add() takes every record, then Finish() is called.
class FlameBuilder {
 public:
  FlameBuilder(FlameKind kind, const LbrSymbolOptions& symbols, FlameSelection selection = {})
      : kind_(kind), selection_(std::move(selection)), stacks_(symbols) {
    if (selection_.hide_idle) purposes_.emplace();
  }

  void Add(const fxt::Reader& reader);
  // With the names of the trace, see JoinNames(). `events`: null, or gets the number of occurrences
  // of each stack.
  FoldedStacks Finish(FoldedStacks* events = nullptr);

  const FlameCounts& counts() const { return counts_; }
  // Files without symbols, a line each.
  std::vector<std::string> Problems() const { return stacks_.Problems(); }

 private:
  struct Wake {
    fxt::Koid process = 0;
    fxt::Koid thread = 0;  // the waker
    StackFrames frames;
  };

  // `time`: ns.
  void AddStack(const fxt::Event& event, uint64_t time, uint64_t stack);
  bool IsSelected(fxt::Koid process, fxt::Koid thread) const;
  void CountEnd(const fxt::Event& event, uint64_t stack);
  void Count(fxt::Koid process, fxt::Koid thread, const StackFrames& frames, uint64_t weight);
  void CountWake(fxt::Koid woken, const StackFrames& sleeper, const Wake& wake);

  FlameKind kind_;
  FlameSelection selection_;
  NamedStacks stacks_;
  facts::KernelSections sections_;
  facts::TaskNames objects_;
  std::optional<facts::SleepPurposes> purposes_;
  FlameCounts counts_;
  struct Key {
    fxt::Koid process;
    fxt::Koid thread;
    StackFrames frames;
    auto operator<=>(const Key&) const = default;
  };
  struct Sum {
    uint64_t weight = 0;
    uint64_t events = 0;
  };
  std::map<Key, Sum> weights_;
  std::map<fxt::Koid, Wake> wakes_;  // of threads whose own stack has not come yet
};

}  // namespace analyze
