// SPDX-License-Identifier: BSD-2-Clause
// What an event takes while it waits for its turn in the order of time.
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
  // The first ones are those of fxt::EventType.
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
  kFlowEndNext,  // a flow end that belongs to the next span of its thread
  kObject,       // an object snapshot: an async instant if there is such an object
  kMetadata,     // has no time of its own
  kSwitch,
  kWakeup,
};

static_assert(static_cast<uint8_t>(StoredKind::kFlowEnd) ==
              static_cast<uint8_t>(fxt::EventType::kFlowEnd));

// A string by its number, or itself.
struct StoredText {
  uint32_t number = StringTable::kNone;
  std::string_view text;  // with kNone
};

struct StoredArgument {
  StoredText name;
  JsonValue value;  // strings have their text in `text`
  StoredText text;
};

struct StoredEvent {
  StoredKind kind = StoredKind::kInstant;
  uint16_t cpu = 0;            // of switches and wakeups
  uint32_t thread = 0;         // of JsonTasks; of switches the one that leaves
  uint32_t second_thread = 0;  // of switches the one that comes; of wakeups the waker
  // Duration (ns) of complete events, id of counters, async operations and flows. Of switches the
  // priorities in the lower bytes, first that of the one that leaves, and above them its state.
  uint64_t payload = 0;
  StoredText category;
  StoredText name;
  std::vector<StoredArgument> arguments;
};

// `event` as bytes, in `room`, which grows to what the longest one takes.
std::span<const std::byte> Encode(const StoredEvent& event, std::vector<std::byte>& room);
// Of what Encode() made.
StoredKind KindOf(std::span<const std::byte> bytes);
// Views belong to `bytes`, which Encode() made.
void Decode(std::span<const std::byte> bytes, StoredEvent& event);

}  // namespace importer
