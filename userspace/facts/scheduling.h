// SPDX-License-Identifier: BSD-2-Clause
// The two layouts of context switch records, and wakeups, as one thing each, in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>

#include "fxt/reader.h"
#include "fxt/record.h"

namespace facts {

// One side of a switch. `process` and `priority` are absent from the newer layout; that one has
// weights, by convention, as arguments.
struct SwitchSide {
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> process;
  std::optional<int64_t> priority;
  // The CPU had nothing to run: process 0 and priority 0 in the legacy layout; thread 0, the least
  // weight (INT32_MIN) or fxt-record's idle thread of the CPU in the newer one.
  bool idle = false;
  // No thread: fxt-record's stand-in "(lost events)" for whatever ran there.
  bool lost = false;
};

struct Switch {
  uint64_t time = 0;  // ns
  uint32_t cpu = 0;
  fxt::ThreadState outgoing_state = fxt::ThreadState::kNew;
  SwitchSide outgoing;
  SwitchSide incoming;
};

struct Wakeup {
  uint64_t time = 0;  // ns
  uint32_t cpu = 0;   // where the thread is to run
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> waker;
  std::optional<int64_t> weight;
};

// Empty for other records. The provider's tick rate is applied.
std::optional<Switch> AsSwitch(const fxt::Record& record, const fxt::ReaderProvider& provider);
std::optional<Wakeup> AsWakeup(const fxt::Record& record, const fxt::ReaderProvider& provider);

// The argument of that name, or null.
const fxt::Argument* FindArgument(std::span<const fxt::Argument> arguments, std::string_view name);
// The value of an integer argument of any width; empty for other types and beyond int64_t.
std::optional<int64_t> IntegerValue(const fxt::Argument* argument);
// The value of a koid argument.
std::optional<fxt::Koid> KoidOf(const fxt::Argument* argument);
// The value of a string argument.
std::optional<std::string_view> TextOf(const fxt::Argument* argument);

// When something happened, in ns; empty for records without a time.
std::optional<uint64_t> TimeOf(const fxt::Record& record, const fxt::ReaderProvider& provider);

// Process and thread a record belongs to (of a switch: the outgoing side); null for records that
// belong to none.
const fxt::ThreadRef* ThreadOf(const fxt::Record& record);

}  // namespace facts
