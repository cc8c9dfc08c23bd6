// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/encoder.h"

#include <cassert>
#include <span>
#include <variant>

#include "encode_argument.h"
#include "word_writer.h"

namespace fxt {
namespace {

template <typename Enum>
constexpr uint64_t Bits(Enum value) {
  return static_cast<uint64_t>(value);
}

// "Record header" and "Large record header": the type, and the size in words.
uint8_t TypeOf(uint64_t header) { return header & 0xf; }
uint64_t SizeOf(uint64_t header) {
  return TypeOf(header) == Bits(RecordType::kLarge) ? header >> 4 & 0xffffffff
                                                    : header >> 4 & 0xfff;
}

constexpr uint64_t LargeHeader(uint64_t words, LargeBlobFormat format) {
  return Bits(RecordType::kLarge) | words << 4 | Bits(LargeRecordType::kBlob) << 36 |
         Bits(format) << 40;
}

// The first status that is not kOk, else kOk.
template <typename... Rest>
EncodeStatus FirstError(EncodeStatus first, Rest... rest) {
  if (first != EncodeStatus::kOk) return first;
  if constexpr (sizeof...(rest) == 0) {
    return EncodeStatus::kOk;
  } else {
    return FirstError(rest...);
  }
}

}  // namespace

// Reserves `words` words, lets `fill` write exactly these, and commits.
template <typename Fill>
EncodeStatus Encoder::Emit(uint64_t words, uint64_t max_words, Fill&& fill) {
  if (words > max_words) return EncodeStatus::kRecordTooLong;
  uint64_t* start = buffer_.Reserve(words);
  if (start == nullptr) return NoRoom();
  WordWriter out(start);
  fill(out);
  assert(out.next() == start + words);
  buffer_.Commit(words);
  return EncodeStatus::kOk;
}

EncodeStatus Encoder::Write(const MagicNumber&) {
  return Emit(1, kMaxRecordWords, [](WordWriter& out) { out.Word(kMagicRecord); });
}

EncodeStatus Encoder::Write(const ProviderInfo& record) {
  if (record.name.size() > kMaxProviderNameBytes) return EncodeStatus::kStringTooLong;
  const uint64_t words = 1 + WordsForBytes(record.name.size());
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kMetadata, words) | Bits(MetadataType::kProviderInfo) << 16 |
             uint64_t{record.id} << 20 | uint64_t{record.name.size()} << 52);
    out.Stream(record.name.data(), record.name.size());
  });
}

EncodeStatus Encoder::Write(const ProviderSection& record) {
  return Emit(1, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kMetadata, 1) | Bits(MetadataType::kProviderSection) << 16 |
             uint64_t{record.id} << 20);
  });
}

EncodeStatus Encoder::Write(const ProviderEvent& record) {
  if (record.event > 0xf) return EncodeStatus::kInvalidField;
  return Emit(1, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kMetadata, 1) | Bits(MetadataType::kProviderEvent) << 16 |
             uint64_t{record.id} << 20 | uint64_t{record.event} << 52);
  });
}

EncodeStatus Encoder::Write(const Initialization& record) {
  return Emit(2, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kInitialization, 2));
    out.Word(record.ticks_per_second);
  });
}

EncodeStatus Encoder::Write(const StringRecord& record) {
  if (record.index == 0 || record.index > kMaxStringIndex) return EncodeStatus::kInvalidIndex;
  if (record.text.size() > kMaxStringRefBytes) return EncodeStatus::kStringTooLong;
  const uint64_t words = 1 + WordsForBytes(record.text.size());
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kString, words) | uint64_t{record.index} << 16 |
             uint64_t{record.text.size()} << 32);
    out.Stream(record.text.data(), record.text.size());
  });
}

EncodeStatus Encoder::Write(const ThreadRecord& record) {
  if (record.index == 0) return EncodeStatus::kInvalidIndex;
  return Emit(3, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kThread, 3) | uint64_t{record.index} << 16);
    out.Word(record.process);
    out.Word(record.thread);
  });
}

EncodeStatus Encoder::Write(const Event& record) {
  if (record.type > EventType::kFlowEnd) return EncodeStatus::kInvalidField;
  uint64_t words = 2 + record.thread.words() + record.category.words() + record.name.words();
  if (HasPayload(record.type)) ++words;
  const auto status = FirstError(CheckString(record.category), CheckString(record.name),
                                 MeasureArguments(record.arguments, words));
  if (status != EncodeStatus::kOk) return status;
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kEvent, words) | Bits(record.type) << 16 |
             uint64_t{record.arguments.size()} << 20 | uint64_t{record.thread.index} << 24 |
             uint64_t{record.category.encoded} << 32 | uint64_t{record.name.encoded} << 48);
    out.Word(record.timestamp);
    out.Thread(record.thread);
    out.String(record.category);
    out.String(record.name);
    WriteArguments(record.arguments, out);
    if (HasPayload(record.type)) out.Word(record.payload);
  });
}

EncodeStatus Encoder::WriteEventWithInlineStrings(EventType type, Ticks timestamp,
                                                  const ThreadRef& thread,
                                                  const StringRef& category,
                                                  const StringRef& name) {
  return Write(Event{.type = type,
                     .timestamp = timestamp,
                     .thread = thread,
                     .category = category,
                     .name = name,
                     .arguments = {},
                     .payload = 0});
}

EncodeStatus Encoder::Write(const Blob& record) {
  if (record.payload.size() > kMaxStringRefBytes) return EncodeStatus::kPayloadTooLong;
  if (const auto status = CheckString(record.name); status != EncodeStatus::kOk) return status;
  const uint64_t words = 1 + record.name.words() + WordsForBytes(record.payload.size());
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kBlob, words) | uint64_t{record.name.encoded} << 16 |
             uint64_t{record.payload.size()} << 32 | uint64_t{record.type} << 48);
    out.String(record.name);
    out.Stream(record.payload.data(), record.payload.size());
  });
}

EncodeStatus Encoder::Write(const UserspaceObject& record) {
  // Unlike the thread reference of an event, an inline process is one word.
  uint64_t words = 2 + (record.process.is_inline() ? 1 : 0) + record.name.words();
  const auto status =
      FirstError(CheckString(record.name), MeasureArguments(record.arguments, words));
  if (status != EncodeStatus::kOk) return status;
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kUserspaceObject, words) | uint64_t{record.process.index} << 16 |
             uint64_t{record.name.encoded} << 24 | uint64_t{record.arguments.size()} << 40);
    out.Word(record.pointer);
    if (record.process.is_inline()) out.Word(record.process.process);
    out.String(record.name);
    WriteArguments(record.arguments, out);
  });
}

EncodeStatus Encoder::Write(const KernelObject& record) {
  uint64_t words = 2 + record.name.words();
  const auto status =
      FirstError(CheckString(record.name), MeasureArguments(record.arguments, words));
  if (status != EncodeStatus::kOk) return status;
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kKernelObject, words) | uint64_t{record.type} << 16 |
             uint64_t{record.name.encoded} << 24 | uint64_t{record.arguments.size()} << 40);
    out.Word(record.koid);
    out.String(record.name);
    WriteArguments(record.arguments, out);
  });
}

EncodeStatus Encoder::Write(const ContextSwitch& record) {
  if (Bits(record.outgoing_state) > 0xf) return EncodeStatus::kInvalidField;
  uint64_t words = 4;
  const auto status = MeasureArguments(record.arguments, words);
  if (status != EncodeStatus::kOk) return status;
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kScheduling, words) | uint64_t{record.arguments.size()} << 16 |
             uint64_t{record.cpu} << 20 | Bits(record.outgoing_state) << 36 |
             Bits(SchedulingType::kContextSwitch) << 60);
    out.Word(record.timestamp);
    out.Word(record.outgoing_thread);
    out.Word(record.incoming_thread);
    WriteArguments(record.arguments, out);
  });
}

EncodeStatus Encoder::Write(const ThreadWakeup& record) {
  uint64_t words = 3;
  const auto status = MeasureArguments(record.arguments, words);
  if (status != EncodeStatus::kOk) return status;
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kScheduling, words) | uint64_t{record.arguments.size()} << 16 |
             uint64_t{record.cpu} << 20 | Bits(SchedulingType::kThreadWakeup) << 60);
    out.Word(record.timestamp);
    out.Word(record.thread);
    WriteArguments(record.arguments, out);
  });
}

EncodeStatus Encoder::WriteWakeupWithInlineName(Ticks timestamp, uint16_t cpu, Koid thread,
                                                const StringRef& waker_name, Koid waker) {
  const Argument argument{.name = waker_name, .value = KoidValue{waker}};
  return Write(ThreadWakeup{
      .timestamp = timestamp, .cpu = cpu, .thread = thread, .arguments = {&argument, 1}});
}

EncodeStatus Encoder::Write(const Log& record) {
  if (record.message.size() > kMaxLogMessageBytes) return EncodeStatus::kStringTooLong;
  const uint64_t words = 2 + record.thread.words() + WordsForBytes(record.message.size());
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kLog, words) | uint64_t{record.message.size()} << 16 |
             uint64_t{record.thread.index} << 32);
    out.Word(record.timestamp);
    out.Thread(record.thread);
    out.Stream(record.message.data(), record.message.size());
  });
}

EncodeStatus Encoder::Write(const LargeBlobWithMetadata& record) {
  uint64_t words = 4 + record.category.words() + record.name.words() + record.thread.words() +
                   WordsForBytes(record.payload.size());
  const auto status = FirstError(CheckString(record.category), CheckString(record.name),
                                 MeasureArguments(record.arguments, words));
  if (status != EncodeStatus::kOk) return status;
  return Emit(words, kMaxLargeRecordWords, [&](WordWriter& out) {
    out.Word(LargeHeader(words, LargeBlobFormat::kWithMetadata));
    out.Word(uint64_t{record.category.encoded} | uint64_t{record.name.encoded} << 16 |
             uint64_t{record.arguments.size()} << 32 | uint64_t{record.thread.index} << 36);
    out.String(record.category);
    out.String(record.name);
    out.Word(record.timestamp);
    out.Thread(record.thread);
    WriteArguments(record.arguments, out);
    out.Word(record.payload.size());
    out.Stream(record.payload.data(), record.payload.size());
  });
}

EncodeStatus Encoder::Write(const LargeBlob& record) {
  const auto status = FirstError(CheckString(record.category), CheckString(record.name));
  if (status != EncodeStatus::kOk) return status;
  const uint64_t words =
      3 + record.category.words() + record.name.words() + WordsForBytes(record.payload.size());
  return Emit(words, kMaxLargeRecordWords, [&](WordWriter& out) {
    out.Word(LargeHeader(words, LargeBlobFormat::kNoMetadata));
    out.Word(uint64_t{record.category.encoded} | uint64_t{record.name.encoded} << 16);
    out.String(record.category);
    out.String(record.name);
    out.Word(record.payload.size());
    out.Stream(record.payload.data(), record.payload.size());
  });
}

EncodeStatus Encoder::Write(const ProfilerModule& record) {
  if (record.name.size() > 0xff) return EncodeStatus::kStringTooLong;
  if (record.build_id.size() > 0xff) return EncodeStatus::kPayloadTooLong;
  const uint64_t words = 2 + record.thread.words() + WordsForBytes(record.name.size()) +
                         WordsForBytes(record.build_id.size());
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kProfiler, words) | Bits(ProfilerType::kModule) << 16 |
             uint64_t{record.thread.index} << 20 | uint64_t{record.module_id} << 28 |
             uint64_t{record.name.size()} << 44 | uint64_t{record.build_id.size()} << 52);
    out.Word(record.timestamp);
    out.Thread(record.thread);
    out.Stream(record.name.data(), record.name.size());
    out.Stream(record.build_id.data(), record.build_id.size());
  });
}

EncodeStatus Encoder::Write(const ProfilerMmap& record) {
  if (record.flags > 0x7) return EncodeStatus::kInvalidField;
  const uint64_t words = 5 + record.thread.words();
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kProfiler, words) | Bits(ProfilerType::kMmap) << 16 |
             uint64_t{record.thread.index} << 20 | uint64_t{record.module_id} << 28 |
             uint64_t{record.flags} << 44);
    out.Word(record.timestamp);
    out.Thread(record.thread);
    out.Word(record.start);
    out.Word(record.size);
    out.Word(record.module_offset);
  });
}

EncodeStatus Encoder::Write(const ProfilerBacktrace& record) {
  if (record.frames.size() > 0xff) return EncodeStatus::kPayloadTooLong;
  const uint64_t words = 2 + record.thread.words() + record.frames.size();
  return Emit(words, kMaxRecordWords, [&](WordWriter& out) {
    out.Word(Header(RecordType::kProfiler, words) | Bits(ProfilerType::kBacktrace) << 16 |
             uint64_t{record.thread.index} << 20 | uint64_t{record.frames.size()} << 28);
    out.Word(record.timestamp);
    out.Thread(record.thread);
    out.Words(record.frames.data(), record.frames.size());
  });
}

EncodeStatus Encoder::CopyWords(std::span<const uint64_t> words) {
  if (words.empty() || SizeOf(words[0]) != words.size()) return EncodeStatus::kInconsistentWords;
  return Emit(words.size(), kMaxLargeRecordWords,
              [&](WordWriter& out) { out.Words(words.data(), words.size()); });
}

EncodeStatus Encoder::Write(const TraceInfo& record) {
  const uint64_t header = record.words.empty() ? 0 : record.words[0];
  const bool agrees = TypeOf(header) == Bits(RecordType::kMetadata) &&
                      (header >> 16 & 0xf) == Bits(MetadataType::kTraceInfo) &&
                      (header >> 20 & 0xf) == record.type;
  return agrees ? CopyWords(record.words) : EncodeStatus::kInconsistentWords;
}

EncodeStatus Encoder::Write(const UnknownRecord& record) {
  const bool agrees = !record.words.empty() && TypeOf(record.words[0]) == record.type;
  return agrees ? CopyWords(record.words) : EncodeStatus::kInconsistentWords;
}

EncodeStatus Encoder::Write(const Record& record) {
  return std::visit([this](const auto& alternative) { return Write(alternative); }, record);
}

}  // namespace fxt
