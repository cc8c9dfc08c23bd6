// SPDX-License-Identifier: BSD-2-Clause
// Records to words: the layouts of "Record Types" in the format document and its newer additions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fxt/encode_status.h"
#include "fxt/format.h"
#include "fxt/record.h"
#include "fxt/record_buffer.h"

namespace fxt {

// Files are little-endian; words are stored in the byte order of the machine.
static_assert(std::endian::native == std::endian::little);

// Encodes records into a RecordBuffer. Has no tables: ProviderWriter assigns the indexes. Checks
// and measures a record first and then writes it whole, or not at all. Reserved bits and padding
// are zero. Allocates nothing. Copies strings unchanged; see utf8.h.
class Encoder {
 public:
  // `buffer` must outlive the encoder.
  explicit Encoder(RecordBuffer& buffer) : buffer_(buffer) {}

  EncodeStatus Write(const MagicNumber& record);
  EncodeStatus Write(const ProviderInfo& record);
  EncodeStatus Write(const ProviderSection& record);
  EncodeStatus Write(const ProviderEvent& record);
  EncodeStatus Write(const Initialization& record);
  EncodeStatus Write(const StringRecord& record);
  EncodeStatus Write(const ThreadRecord& record);
  EncodeStatus Write(const Event& record);
  EncodeStatus Write(const Blob& record);
  EncodeStatus Write(const UserspaceObject& record);
  EncodeStatus Write(const KernelObject& record);
  EncodeStatus Write(const LegacyContextSwitch& record);
  EncodeStatus Write(const ContextSwitch& record);
  EncodeStatus Write(const ThreadWakeup& record);
  EncodeStatus Write(const Log& record);
  EncodeStatus Write(const LargeBlobWithMetadata& record);
  EncodeStatus Write(const LargeBlob& record);
  EncodeStatus Write(const ProfilerModule& record);
  EncodeStatus Write(const ProfilerMmap& record);
  EncodeStatus Write(const ProfilerBacktrace& record);
  // Raw words: copied if header and length agree.
  EncodeStatus Write(const TraceInfo& record);
  EncodeStatus Write(const UnknownRecord& record);
  EncodeStatus Write(const Record& record);

  // The most frequent records, without a struct and its spans.

  // An event of a type without payload (instant, duration begin, duration end) and without
  // arguments.
  EncodeStatus WriteEvent(EventType type, Ticks timestamp, const ThreadRef& thread,
                          const StringRef& category, const StringRef& name);
  EncodeStatus WriteInstant(Ticks timestamp, const ThreadRef& thread, const StringRef& category,
                            const StringRef& name) {
    return WriteEvent(EventType::kInstant, timestamp, thread, category, name);
  }
  EncodeStatus WriteDurationBegin(Ticks timestamp, const ThreadRef& thread,
                                  const StringRef& category, const StringRef& name) {
    return WriteEvent(EventType::kDurationBegin, timestamp, thread, category, name);
  }
  EncodeStatus WriteDurationEnd(Ticks timestamp, const ThreadRef& thread, const StringRef& category,
                                const StringRef& name) {
    return WriteEvent(EventType::kDurationEnd, timestamp, thread, category, name);
  }

  // Legacy layout, both threads by index (1..255). `priorities`: the outgoing thread's in the lower
  // eight bits, the incoming one's in the upper eight.
  EncodeStatus WriteContextSwitch(Ticks timestamp, uint8_t cpu, ThreadState outgoing_state,
                                  uint8_t outgoing_index, uint8_t incoming_index,
                                  uint16_t priorities) {
    const auto state = static_cast<uint64_t>(outgoing_state);
    if (state > 0xf || outgoing_index == 0 || incoming_index == 0) [[unlikely]] {
      return EncodeStatus::kInvalidField;
    }
    constexpr size_t kWords = 2;
    RecordBuffer& buffer = buffer_;
    uint64_t* out = buffer.Reserve(kWords);
    if (out == nullptr) [[unlikely]] {
      return NoRoom();
    }
    out[0] = Header(RecordType::kScheduling, kWords) | uint64_t{cpu} << 16 | state << 24 |
             uint64_t{outgoing_index} << 28 | uint64_t{incoming_index} << 36 |
             uint64_t{priorities} << 44;
    out[1] = timestamp;
    buffer.CommitUpTo(out + kWords);
    return EncodeStatus::kOk;
  }

  // A wakeup with one koid argument, `waker`. `waker_name` is the name of the argument.
  EncodeStatus WriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread, const StringRef& waker_name,
                           Koid waker);
  // The same, followed by a string argument. All three strings must be indexed.
  EncodeStatus WriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread, const StringRef& waker_name,
                           Koid waker, const StringRef& argument, const StringRef& text);

  RecordBuffer& buffer() { return buffer_; }

 private:
  template <typename Fill>
  EncodeStatus Emit(uint64_t words, uint64_t max_words, Fill&& fill);
  EncodeStatus CopyWords(std::span<const uint64_t> words);
  EncodeStatus WriteEventWithInlineStrings(EventType type, Ticks timestamp, const ThreadRef& thread,
                                           const StringRef& category, const StringRef& name);
  EncodeStatus WriteWakeupWithInlineName(Ticks timestamp, uint16_t cpu, Koid thread,
                                         const StringRef& waker_name, Koid waker);
  // The status after Reserve() returned null.
  EncodeStatus NoRoom() const {
    return buffer_.failed() ? EncodeStatus::kSinkFailed : EncodeStatus::kNoMemory;
  }
  // "Record header": bits 0..3 type, 4..15 size in words.
  static constexpr uint64_t Header(RecordType type, uint64_t words) {
    return static_cast<uint64_t>(type) | words << 4;
  }

  RecordBuffer& buffer_;
};

inline EncodeStatus Encoder::Write(const LegacyContextSwitch& record) {
  const auto state = static_cast<uint64_t>(record.outgoing_state);
  if (state > 0xf) return EncodeStatus::kInvalidField;
  const size_t words = 2 + record.outgoing.words() + record.incoming.words();
  uint64_t* out = buffer_.Reserve(words);
  if (out == nullptr) [[unlikely]] {
    return NoRoom();
  }
  out[0] = Header(RecordType::kScheduling, words) | uint64_t{record.cpu} << 16 | state << 24 |
           uint64_t{record.outgoing.index} << 28 | uint64_t{record.incoming.index} << 36 |
           uint64_t{record.outgoing_priority} << 44 | uint64_t{record.incoming_priority} << 52;
  out[1] = record.timestamp;
  uint64_t* next = out + 2;
  if (record.outgoing.is_inline()) {
    next[0] = record.outgoing.process;
    next[1] = record.outgoing.thread;
    next += 2;
  }
  if (record.incoming.is_inline()) {
    next[0] = record.incoming.process;
    next[1] = record.incoming.thread;
  }
  buffer_.Commit(words);
  return EncodeStatus::kOk;
}

inline EncodeStatus Encoder::WriteEvent(EventType type, Ticks timestamp, const ThreadRef& thread,
                                        const StringRef& category, const StringRef& name) {
  if (HasPayload(type)) [[unlikely]] {
    return EncodeStatus::kInvalidField;
  }
  if (((category.encoded | name.encoded) & kInlineStringBit) != 0) [[unlikely]] {
    return WriteEventWithInlineStrings(type, timestamp, thread, category, name);
  }
  const size_t words = 2 + thread.words();
  uint64_t* out = buffer_.Reserve(words);
  if (out == nullptr) [[unlikely]] {
    return NoRoom();
  }
  out[0] = Header(RecordType::kEvent, words) | static_cast<uint64_t>(type) << 16 |
           uint64_t{thread.index} << 24 | uint64_t{category.encoded} << 32 |
           uint64_t{name.encoded} << 48;
  out[1] = timestamp;
  if (thread.is_inline()) {
    out[2] = thread.process;
    out[3] = thread.thread;
  }
  buffer_.Commit(words);
  return EncodeStatus::kOk;
}

inline EncodeStatus Encoder::WriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread,
                                         const StringRef& waker_name, Koid waker) {
  if (waker_name.is_inline()) [[unlikely]] {
    return WriteWakeupWithInlineName(timestamp, cpu, thread, waker_name, waker);
  }
  constexpr size_t kWords = 5;
  RecordBuffer& buffer = buffer_;
  uint64_t* out = buffer.Reserve(kWords);
  if (out == nullptr) [[unlikely]] {
    return NoRoom();
  }
  out[0] = Header(RecordType::kScheduling, kWords) | uint64_t{1} << 16 | uint64_t{cpu} << 20 |
           static_cast<uint64_t>(SchedulingType::kThreadWakeup) << 60;
  out[1] = timestamp;
  out[2] = thread;
  out[3] = static_cast<uint64_t>(ArgumentType::kKoid) | uint64_t{2} << 4 |
           uint64_t{waker_name.encoded} << 16;
  out[4] = waker;
  buffer.CommitUpTo(out + kWords);
  return EncodeStatus::kOk;
}

inline EncodeStatus Encoder::WriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread,
                                         const StringRef& waker_name, Koid waker,
                                         const StringRef& argument, const StringRef& text) {
  constexpr size_t kWords = 6;
  RecordBuffer& buffer = buffer_;
  uint64_t* out = buffer.Reserve(kWords);
  if (out == nullptr) [[unlikely]] {
    return NoRoom();
  }
  out[0] = Header(RecordType::kScheduling, kWords) | uint64_t{2} << 16 | uint64_t{cpu} << 20 |
           static_cast<uint64_t>(SchedulingType::kThreadWakeup) << 60;
  out[1] = timestamp;
  out[2] = thread;
  out[3] = static_cast<uint64_t>(ArgumentType::kKoid) | uint64_t{2} << 4 |
           uint64_t{waker_name.encoded} << 16;
  out[4] = waker;
  out[5] = static_cast<uint64_t>(ArgumentType::kString) | uint64_t{1} << 4 |
           uint64_t{argument.encoded} << 16 | uint64_t{text.encoded} << 32;
  buffer.CommitUpTo(out + kWords);
  return EncodeStatus::kOk;
}

}  // namespace fxt
