// SPDX-License-Identifier: BSD-2-Clause
// The two layouts of context switch records, and wakeups, as one thing each, in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "fxt/reader.h"
#include "fxt/record.h"
#include "schema/koid.h"
#include "schema/names.h"

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

// The way in which a waker woke a thread.
enum class WakeVia : uint8_t {
  kNone,   // by itself, or not known
  kNetRx,  // by packets that it sent: in the NET_RX softirq that it raised
};
// The value of the argument `via`; empty for kNone.
std::string_view NameOf(WakeVia via);
WakeVia WakeViaOf(std::string_view name);

struct Wakeup {
  uint64_t time = 0;  // ns
  uint32_t cpu = 0;   // where the thread is to run
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> waker;
  std::optional<int64_t> weight;
  WakeVia via = WakeVia::kNone;
  bool by_interrupt = false;  // fxt-record emitted it without a waker
};

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

// Fills in the fields of the record; `change` and `wakeup` must be new.
void ReadSwitch(const fxt::ContextSwitch& record, const fxt::ReaderProvider& provider,
                Switch& change);
inline void ReadSwitch(const fxt::LegacyContextSwitch& record, const fxt::ReaderProvider& provider,
                       Switch& change) {
  const auto read = [&](SwitchSide& side, const fxt::ThreadRef& thread, uint8_t priority) {
    side.thread = thread.thread;
    side.process = thread.process;
    side.priority = priority;
    side.idle = thread.process == 0 && priority == 0;
    // The name is asked for last: it is text.
    side.lost =
        thread.thread == schema::LostKoid(record.cpu) && provider.name() == schema::kRecorderName;
  };
  change.time = provider.ToNanoseconds(record.timestamp);
  change.cpu = record.cpu;
  change.outgoing_state = record.outgoing_state;
  read(change.outgoing, record.outgoing, record.outgoing_priority);
  read(change.incoming, record.incoming, record.incoming_priority);
}
void ReadWakeup(const fxt::ThreadWakeup& record, const fxt::ReaderProvider& provider,
                Wakeup& wakeup);

// Empty for other records. The provider's tick rate is applied. Made in place: a copy would wait
// for the stores that have just been made.
inline std::optional<Switch> AsSwitch(const fxt::Record& record,
                                      const fxt::ReaderProvider& provider) {
  std::optional<Switch> made;
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) {
    ReadSwitch(*legacy, provider, made.emplace());
  } else if (const auto* newer = std::get_if<fxt::ContextSwitch>(&record)) {
    ReadSwitch(*newer, provider, made.emplace());
  }
  return made;
}
inline std::optional<Wakeup> AsWakeup(const fxt::Record& record,
                                      const fxt::ReaderProvider& provider) {
  std::optional<Wakeup> made;
  if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    ReadWakeup(*wakeup, provider, made.emplace());
  }
  return made;
}

}  // namespace facts
