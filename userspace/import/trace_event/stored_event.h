// SPDX-License-Identifier: BSD-2-Clause
// The compact form of an event while it waits to be sorted by time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fxt/format.h"
#include "import/json/trace_event.h"
#include "import/trace_event/string_table.h"

namespace importer {

enum class StoredKind : uint8_t {
  // The first values equal those of fxt::EventType.
  kInstant,
  kCounter,
  kDurationBegin,
  kDurationEnd,
  kDurationComplete,
  kAsyncBegin,
  kAsyncInstant,
  kAsyncEnd,
  kFlowBegin,
  kFlowStep,
  kFlowEnd,
  kFlowEndNext,  // a flow end that binds to the next span of its thread
  kObject,       // an object snapshot: an async instant if the object exists
  kSwitch,
  kWakeup,
};

static_assert(static_cast<uint8_t>(StoredKind::kFlowEnd) ==
              static_cast<uint8_t>(fxt::EventType::kFlowEnd));

// A string of the StringTable, or a text.
struct StoredText {
  uint32_t number = StringTable::kNone;
  std::string_view text;  // with kNone
};

struct StoredArgument {
  StoredText name;
  JsonValue value;  // strings are in `text`
  StoredText text;
};

struct StoredEvent {
  StoredKind kind = StoredKind::kInstant;
  uint16_t cpu = 0;            // of switches and wakeups
  uint32_t thread = 0;         // of JsonTasks; for switches the outgoing thread
  uint32_t second_thread = 0;  // for switches the incoming thread; for wakeups the waker
  // Duration (ns) of complete events; id of counters, async operations and flows. For switches: the
  // outgoing priority in the lowest byte, the incoming one in the next, and above them the state.
  uint64_t payload = 0;
  StoredText category;
  StoredText name;
  std::vector<StoredArgument> arguments;
};

// Encodes `event` into `room`, which grows as necessary.
std::span<const std::byte> Encode(const StoredEvent& event, std::vector<std::byte>& room);
// The kind of an encoded event.
StoredKind KindOf(std::span<const std::byte> bytes);
// Decodes an event; its views refer to `bytes`.
void Decode(std::span<const std::byte> bytes, StoredEvent& event);

}  // namespace importer
