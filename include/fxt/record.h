// SPDX-License-Identifier: BSD-2-Clause
// The records of the format, one plain struct each. The encoder takes them and the reader yields
// them, so that what was written can be compared with what is read. Views belong to the caller when
// writing, and to the reader (until its next step) when reading.
// Section names are those of the format document; "newest edition" marks later additions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "fxt/argument.h"
#include "fxt/format.h"
#include "fxt/string_ref.h"
#include "fxt/thread_ref.h"

namespace fxt {

// "Magic number record".
struct MagicNumber {};

// "Provider info metadata". `name` has at most 255 bytes.
struct ProviderInfo {
  uint32_t id = 0;
  std::string_view name;
};

// "Provider section metadata": what follows belongs to provider `id`.
struct ProviderSection {
  uint32_t id = 0;
};

// "Provider event metadata". `event` is four bits; 0 is "a buffer filled up".
struct ProviderEvent {
  uint32_t id = 0;
  uint8_t event = 0;
};

// "Trace info metadata" of a type other than the magic number (reading only).
struct TraceInfo {
  uint8_t type = 0;
  std::span<const uint64_t> words;
};

// "Initialization record".
struct Initialization {
  uint64_t ticks_per_second = 0;
};

// "String record". `index` is 1..0x7fff.
struct StringRecord {
  uint16_t index = 0;
  std::string_view text;
};

// "Thread record". `index` is 1..255.
struct ThreadRecord {
  uint8_t index = 0;
  Koid process = 0;
  Koid thread = 0;
};

// "Event record".
struct Event {
  EventType type = EventType::kInstant;
  Ticks timestamp = 0;
  ThreadRef thread;
  StringRef category;
  StringRef name;
  std::span<const Argument> arguments;  // at most 15
  // Counter id, end time (ticks), async or flow correlation id; unused by instant, duration begin
  // and duration end.
  uint64_t payload = 0;
};

constexpr bool HasPayload(EventType type) {
  return type != EventType::kInstant && type != EventType::kDurationBegin &&
         type != EventType::kDurationEnd;
}

// "BLOB record". At most 0x7fff bytes.
struct Blob {
  StringRef name;
  uint8_t type = 0;  // BlobType, or a number this library has no name for
  std::span<const std::byte> payload;
};

// "Userspace object record". The record carries a process, as the process half of a thread ref.
struct UserspaceObject {
  uint64_t pointer = 0;
  ThreadRef process;  // inline form: only `process.process` is in the record
  StringRef name;
  std::span<const Argument> arguments;
};

// "Kernel object record". Names may be any bytes (newest edition).
struct KernelObject {
  uint8_t type = 0;  // KernelObjectType, or any other ZX_OBJ_TYPE
  Koid koid = 0;
  StringRef name;
  std::span<const Argument> arguments;
};

// "Context switch record": subtype 0 of the scheduling record.
struct LegacyContextSwitch {
  Ticks timestamp = 0;
  uint8_t cpu = 0;
  ThreadState outgoing_state = ThreadState::kNew;
  ThreadRef outgoing;
  ThreadRef incoming;
  uint8_t outgoing_priority = 0;
  uint8_t incoming_priority = 0;
};

// Scheduling record, subtype 1 (newest edition).
struct ContextSwitch {
  Ticks timestamp = 0;
  uint16_t cpu = 0;
  ThreadState outgoing_state = ThreadState::kNew;
  Koid outgoing_thread = 0;
  Koid incoming_thread = 0;
  std::span<const Argument> arguments;
};

// Scheduling record, subtype 2 (newest edition).
struct ThreadWakeup {
  Ticks timestamp = 0;
  uint16_t cpu = 0;
  Koid thread = 0;
  std::span<const Argument> arguments;
};

// "Log record". At most 0x7fff bytes.
struct Log {
  Ticks timestamp = 0;
  ThreadRef thread;
  std::string_view message;
};

// "In Band Large Blob Record With Metadata".
struct LargeBlobWithMetadata {
  Ticks timestamp = 0;
  ThreadRef thread;
  StringRef category;
  StringRef name;
  std::span<const Argument> arguments;
  std::span<const std::byte> payload;
};

// "In Band Large Blob Record No Metadata".
struct LargeBlob {
  StringRef category;
  StringRef name;
  std::span<const std::byte> payload;
};

// Profiler record, subtype 0 (newest edition).
struct ProfilerModule {
  Ticks timestamp = 0;
  ThreadRef thread;
  uint16_t module_id = 0;
  std::string_view name;                // at most 255 bytes
  std::span<const std::byte> build_id;  // at most 255 bytes
};

// Profiler record, subtype 1 (newest edition). `flags` is three bits: 1 read, 2 write, 4 execute.
struct ProfilerMmap {
  Ticks timestamp = 0;
  ThreadRef thread;
  uint16_t module_id = 0;
  uint8_t flags = 0;
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t module_offset = 0;
};

// Profiler record, subtype 2 (newest edition). At most 255 frames.
struct ProfilerBacktrace {
  Ticks timestamp = 0;
  ThreadRef thread;
  std::span<const uint64_t> frames;
};

// A record of a type this library does not know (reading only).
struct UnknownRecord {
  uint8_t type = 0;
  std::span<const uint64_t> words;
};

using Record = std::variant<MagicNumber, ProviderInfo, ProviderSection, ProviderEvent, TraceInfo,
                            Initialization, StringRecord, ThreadRecord, Event, Blob,
                            UserspaceObject, KernelObject, LegacyContextSwitch, ContextSwitch,
                            ThreadWakeup, Log, LargeBlobWithMetadata, LargeBlob, ProfilerModule,
                            ProfilerMmap, ProfilerBacktrace, UnknownRecord>;

}  // namespace fxt
