// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/record_parser.h"

#include <bit>

namespace fxt {
namespace {

static_assert(std::endian::native == std::endian::little,
              "words are used in memory order; the format's files are little-endian");

}  // namespace

bool RecordParser::Fail(DiagnosticKind kind, uint64_t value) {
  Note(kind, value);
  return false;
}

void RecordParser::Note(DiagnosticKind kind, uint64_t value) {
  log_->Add({kind, static_cast<uint8_t>(words_[0] & 0xf), offset_, value});
}

void RecordParser::Unknown(DiagnosticKind kind, uint64_t value, Record& out) {
  Note(kind, value);
  cursor_.Skip(cursor_.left());
  out.emplace<UnknownRecord>(UnknownRecord{static_cast<uint8_t>(words_[0] & 0xf), words_});
}

bool RecordParser::Parse(std::span<const uint64_t> words, uint64_t offset,
                         const ReaderProvider& provider, DiagnosticLog& log, Record& out) {
  words_ = words;
  offset_ = offset;
  provider_ = &provider;
  log_ = &log;
  cursor_ = Cursor(words.subspan(1));
  const uint64_t header = words[0];
  switch (static_cast<RecordType>(header & 0xf)) {
    case RecordType::kMetadata:
      return ParseMetadata(out);
    case RecordType::kInitialization:
      if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
      if (words[1] == 0) return Fail(DiagnosticKind::kZeroTickRate);
      out.emplace<Initialization>(Initialization{cursor_.Take()});
      return true;
    case RecordType::kString:
      return ParseString(out);
    case RecordType::kThread: {
      if (cursor_.left() < 2) return Fail(DiagnosticKind::kRecordTooShort);
      if (Bits(header, 16, 23) == 0) return Fail(DiagnosticKind::kReservedIndex);
      ThreadRecord& record = out.emplace<ThreadRecord>();
      record.index = static_cast<uint8_t>(Bits(header, 16, 23));
      record.process = cursor_.Take();
      record.thread = cursor_.Take();
      return true;
    }
    case RecordType::kEvent:
      return ParseEvent(out);
    case RecordType::kBlob:
      return ParseBlob(out);
    case RecordType::kUserspaceObject:
      return ParseUserspaceObject(out);
    case RecordType::kKernelObject:
      return ParseKernelObject(out);
    case RecordType::kScheduling:
      return ParseScheduling(out);
    case RecordType::kLog:
      return ParseLog(out);
    case RecordType::kProfiler:
      return ParseProfiler(out);
    case RecordType::kLarge:
      return ParseLarge(out);
    default:
      Unknown(DiagnosticKind::kUnknownRecordType, header & 0xf, out);
      return true;
  }
}

bool RecordParser::ParseMetadata(Record& out) {
  const uint64_t header = words_[0];
  const auto id = static_cast<uint32_t>(Bits(header, 20, 51));
  switch (static_cast<MetadataType>(Bits(header, 16, 19))) {
    case MetadataType::kProviderInfo: {
      ProviderInfo& info = out.emplace<ProviderInfo>();
      info.id = id;
      return TakeText(cursor_, Bits(header, 52, 59), info.name);
    }
    case MetadataType::kProviderSection:
      out.emplace<ProviderSection>(ProviderSection{id});
      return true;
    case MetadataType::kProviderEvent:
      out.emplace<ProviderEvent>(ProviderEvent{id, static_cast<uint8_t>(Bits(header, 52, 55))});
      return true;
    case MetadataType::kTraceInfo: {
      const auto type = static_cast<uint8_t>(Bits(header, 20, 23));
      if (type != 0) {
        out.emplace<TraceInfo>(TraceInfo{type, words_});
        cursor_.Skip(cursor_.left());
        return true;
      }
      if (header != kMagicRecord) return Fail(DiagnosticKind::kBadMagicNumber, header);
      out.emplace<MagicNumber>();
      return true;
    }
    default:
      Unknown(DiagnosticKind::kUnknownSubtype, Bits(header, 16, 19), out);
      return true;
  }
}

bool RecordParser::ParseString(Record& out) {
  const uint64_t header = words_[0];
  const auto index = static_cast<uint16_t>(Bits(header, 16, 30));
  StringRecord& record = out.emplace<StringRecord>();
  record.index = index;
  if (!TakeText(cursor_, Bits(header, 32, 46), record.text)) return false;
  if (index == 0) return Fail(DiagnosticKind::kReservedIndex);
  return true;
}

bool RecordParser::ParseEvent(Record& out) {
  const uint64_t header = words_[0];
  const auto type = static_cast<EventType>(Bits(header, 16, 19));
  if (type > EventType::kFlowEnd) {
    Unknown(DiagnosticKind::kUnknownSubtype, Bits(header, 16, 19), out);
    return true;
  }
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  Event& event = out.emplace<Event>();
  event.type = type;
  event.timestamp = cursor_.Take();
  if (!TakeThread(cursor_, static_cast<uint8_t>(Bits(header, 24, 31)), event.thread) ||
      !TakeString(cursor_, static_cast<uint16_t>(Bits(header, 32, 47)), event.category) ||
      !TakeString(cursor_, static_cast<uint16_t>(Bits(header, 48, 63)), event.name) ||
      !TakeArguments(cursor_, Bits(header, 20, 23), event.arguments)) {
    return false;
  }
  if (HasPayload(type)) {
    if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
    event.payload = cursor_.Take();
  }
  return true;
}

bool RecordParser::ParseBlob(Record& out) {
  const uint64_t header = words_[0];
  Blob& blob = out.emplace<Blob>();
  blob.type = static_cast<uint8_t>(Bits(header, 48, 55));
  return TakeString(cursor_, static_cast<uint16_t>(Bits(header, 16, 31)), blob.name) &&
         TakePayload(cursor_, Bits(header, 32, 46), blob.payload);
}

bool RecordParser::ParseKernelObject(Record& out) {
  const uint64_t header = words_[0];
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  KernelObject& object = out.emplace<KernelObject>();
  object.type = static_cast<uint8_t>(Bits(header, 16, 23));
  object.koid = cursor_.Take();
  return TakeString(cursor_, static_cast<uint16_t>(Bits(header, 24, 39)), object.name) &&
         TakeArguments(cursor_, Bits(header, 40, 43), object.arguments);
}

bool RecordParser::ParseScheduling(Record& out) {
  const uint64_t header = words_[0];
  switch (static_cast<SchedulingType>(Bits(header, 60, 63))) {
    case SchedulingType::kLegacyContextSwitch: {
      if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
      LegacyContextSwitch& record = out.emplace<LegacyContextSwitch>();
      record.timestamp = cursor_.Take();
      record.cpu = static_cast<uint8_t>(Bits(header, 16, 23));
      record.outgoing_state = static_cast<ThreadState>(Bits(header, 24, 27));
      record.outgoing_priority = static_cast<uint8_t>(Bits(header, 44, 51));
      record.incoming_priority = static_cast<uint8_t>(Bits(header, 52, 59));
      return TakeThread(cursor_, static_cast<uint8_t>(Bits(header, 28, 35)), record.outgoing) &&
             TakeThread(cursor_, static_cast<uint8_t>(Bits(header, 36, 43)), record.incoming);
    }
    case SchedulingType::kContextSwitch: {
      if (cursor_.left() < 3) return Fail(DiagnosticKind::kRecordTooShort);
      ContextSwitch& record = out.emplace<ContextSwitch>();
      record.timestamp = cursor_.Take();
      record.cpu = static_cast<uint16_t>(Bits(header, 20, 35));
      record.outgoing_state = static_cast<ThreadState>(Bits(header, 36, 39));
      record.outgoing_thread = cursor_.Take();
      record.incoming_thread = cursor_.Take();
      return TakeArguments(cursor_, Bits(header, 16, 19), record.arguments);
    }
    case SchedulingType::kThreadWakeup: {
      if (cursor_.left() < 2) return Fail(DiagnosticKind::kRecordTooShort);
      ThreadWakeup& record = out.emplace<ThreadWakeup>();
      record.timestamp = cursor_.Take();
      record.cpu = static_cast<uint16_t>(Bits(header, 20, 35));
      record.thread = cursor_.Take();
      return TakeArguments(cursor_, Bits(header, 16, 19), record.arguments);
    }
    default:
      Unknown(DiagnosticKind::kUnknownSubtype, Bits(header, 60, 63), out);
      return true;
  }
}

bool RecordParser::ParseLog(Record& out) {
  const uint64_t header = words_[0];
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  Log& record = out.emplace<Log>();
  record.timestamp = cursor_.Take();
  return TakeThread(cursor_, static_cast<uint8_t>(Bits(header, 32, 39)), record.thread) &&
         TakeText(cursor_, Bits(header, 16, 30), record.message);
}

bool RecordParser::TakeThread(Cursor& cursor, uint8_t reference, ThreadRef& out) {
  if (reference != 0) {
    out = ResolveThread(reference);
    return true;
  }
  if (cursor.left() < 2) return Fail(DiagnosticKind::kRecordTooShort);
  out.index = 0;
  out.process = cursor.Take();
  out.thread = cursor.Take();
  return true;
}

ThreadRef RecordParser::ResolveThread(uint8_t index) {
  if (!provider_->has_thread(index)) Note(DiagnosticKind::kUndefinedThread, index);
  const ReaderProvider::ThreadIds& ids = provider_->thread(index);
  return ThreadRef::Indexed(index, ids.process, ids.thread);
}

bool RecordParser::TakeString(Cursor& cursor, uint16_t reference, StringRef& out) {
  out.encoded = reference;
  if ((reference & kInlineStringBit) != 0) {
    return TakeText(cursor, reference & kMaxStringRefBytes, out.text);
  }
  out.text = {};
  if (reference == 0) return true;
  if (const std::string* text = provider_->FindString(reference)) {
    out.text = *text;
  } else {
    Note(DiagnosticKind::kUndefinedString, reference);
  }
  return true;
}

bool RecordParser::TakeText(Cursor& cursor, size_t bytes, std::string_view& out) {
  const size_t words = WordsForBytes(bytes);
  if (words > cursor.left()) return Fail(DiagnosticKind::kStringPastEnd, bytes);
  out = {reinterpret_cast<const char*>(cursor.at()), bytes};
  cursor.Skip(words);
  return true;
}

bool RecordParser::TakePayload(Cursor& cursor, uint64_t bytes, std::span<const std::byte>& out) {
  // Compared in bytes: rounding a 64-bit length up to words could wrap.
  if (bytes > cursor.left() * kWordBytes) return Fail(DiagnosticKind::kPayloadPastEnd, bytes);
  out = {reinterpret_cast<const std::byte*>(cursor.at()), static_cast<size_t>(bytes)};
  cursor.Skip(WordsForBytes(static_cast<size_t>(bytes)));
  return true;
}

bool RecordParser::TakeArguments(Cursor& cursor, size_t count, std::span<const Argument>& out) {
  for (size_t i = 0; i < count; ++i) {
    if (!TakeArgument(cursor, arguments_[i])) return false;
  }
  out = {arguments_.data(), count};
  return true;
}

bool RecordParser::TakeArgument(Cursor& cursor, Argument& out) {
  if (cursor.left() == 0) return Fail(DiagnosticKind::kArgumentPastEnd, 0);
  const uint64_t header = *cursor.at();
  const uint64_t size = Bits(header, 4, 15);
  if (size == 0) return Fail(DiagnosticKind::kArgumentSizeZero);
  if (size > cursor.left()) return Fail(DiagnosticKind::kArgumentPastEnd, size);
  const std::span<const uint64_t> words(cursor.at(), static_cast<size_t>(size));
  cursor.Skip(words.size());

  // From here on only the argument's own words are read, whatever its value states.
  Cursor own(words.subspan(1));
  const uint64_t type = header & 0xf;
  if (!TakeString(own, static_cast<uint16_t>(Bits(header, 16, 31)), out.name)) return false;
  const bool has_value_word = type == 3 || type == 4 || type == 5 || type == 7 || type == 8;
  if (has_value_word && own.left() == 0) return Fail(DiagnosticKind::kArgumentTooShort, type);
  switch (static_cast<ArgumentType>(type)) {
    case ArgumentType::kNull:
      out.value.emplace<NullValue>();
      return true;
    case ArgumentType::kInt32:
      out.value.emplace<int32_t>(static_cast<int32_t>(header >> 32));
      return true;
    case ArgumentType::kUint32:
      out.value.emplace<uint32_t>(static_cast<uint32_t>(header >> 32));
      return true;
    case ArgumentType::kInt64:
      out.value.emplace<int64_t>(static_cast<int64_t>(own.Take()));
      return true;
    case ArgumentType::kUint64:
      out.value.emplace<uint64_t>(own.Take());
      return true;
    case ArgumentType::kDouble:
      out.value.emplace<double>(std::bit_cast<double>(own.Take()));
      return true;
    case ArgumentType::kString:
      return TakeString(own, static_cast<uint16_t>(Bits(header, 32, 47)),
                        out.value.emplace<StringRef>());
    case ArgumentType::kPointer:
      out.value.emplace<PointerValue>(PointerValue{own.Take()});
      return true;
    case ArgumentType::kKoid:
      out.value.emplace<KoidValue>(KoidValue{own.Take()});
      return true;
    case ArgumentType::kBool:
      out.value.emplace<bool>((header >> 32 & 1) != 0);
      return true;
    case ArgumentType::kBlob:
      return TakePayload(own, header >> 32, out.value.emplace<BlobValue>().bytes);
  }
  Note(DiagnosticKind::kUnknownArgumentType, type);
  out.value.emplace<UnknownValue>(UnknownValue{static_cast<uint8_t>(type), words});
  return true;
}

bool RecordParser::ParseUserspaceObject(Record& out) {
  const uint64_t header = words_[0];
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  UserspaceObject& object = out.emplace<UserspaceObject>();
  object.pointer = cursor_.Take();
  const auto reference = static_cast<uint8_t>(Bits(header, 16, 23));
  if (reference == 0) {
    if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
    object.process = ThreadRef::Inline(cursor_.Take(), 0);
  } else {
    object.process = ResolveThread(reference);
  }
  return TakeString(cursor_, static_cast<uint16_t>(Bits(header, 24, 39)), object.name) &&
         TakeArguments(cursor_, Bits(header, 40, 43), object.arguments);
}

bool RecordParser::ParseProfiler(Record& out) {
  const uint64_t header = words_[0];
  const uint64_t subtype = Bits(header, 16, 19);
  if (subtype > static_cast<uint64_t>(ProfilerType::kBacktrace)) {
    Unknown(DiagnosticKind::kUnknownSubtype, subtype, out);
    return true;
  }
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  const uint64_t timestamp = cursor_.Take();
  ThreadRef thread;
  if (!TakeThread(cursor_, static_cast<uint8_t>(Bits(header, 20, 27)), thread)) return false;
  switch (static_cast<ProfilerType>(subtype)) {
    case ProfilerType::kModule: {
      ProfilerModule& record = out.emplace<ProfilerModule>();
      record.timestamp = timestamp;
      record.thread = thread;
      record.module_id = static_cast<uint16_t>(Bits(header, 28, 43));
      return TakeText(cursor_, Bits(header, 44, 51), record.name) &&
             TakePayload(cursor_, Bits(header, 52, 59), record.build_id);
    }
    case ProfilerType::kMmap: {
      if (cursor_.left() < 3) return Fail(DiagnosticKind::kRecordTooShort);
      ProfilerMmap& record = out.emplace<ProfilerMmap>();
      record.timestamp = timestamp;
      record.thread = thread;
      record.module_id = static_cast<uint16_t>(Bits(header, 28, 43));
      record.flags = static_cast<uint8_t>(Bits(header, 44, 46));
      record.start = cursor_.Take();
      record.size = cursor_.Take();
      record.module_offset = cursor_.Take();
      return true;
    }
    case ProfilerType::kBacktrace: {
      const uint64_t frames = Bits(header, 28, 35);
      if (cursor_.left() < frames) {
        return Fail(DiagnosticKind::kPayloadPastEnd, frames * kWordBytes);
      }
      out.emplace<ProfilerBacktrace>(
          ProfilerBacktrace{timestamp, thread, {cursor_.at(), static_cast<size_t>(frames)}});
      cursor_.Skip(static_cast<size_t>(frames));
      return true;
    }
  }
  return false;
}

bool RecordParser::ParseLarge(Record& out) {
  const uint64_t header = words_[0];
  const uint64_t type = Bits(header, 36, 39);
  if (type != static_cast<uint64_t>(LargeRecordType::kBlob)) {
    Unknown(DiagnosticKind::kUnknownSubtype, type, out);
    return true;
  }
  const auto format = static_cast<LargeBlobFormat>(Bits(header, 40, 43));
  if (format > LargeBlobFormat::kNoMetadata) {
    Unknown(DiagnosticKind::kUnknownSubtype, Bits(header, 40, 43), out);
    return true;
  }
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  const uint64_t info = cursor_.Take();
  StringRef category;
  StringRef name;
  if (!TakeString(cursor_, static_cast<uint16_t>(Bits(info, 0, 15)), category) ||
      !TakeString(cursor_, static_cast<uint16_t>(Bits(info, 16, 31)), name)) {
    return false;
  }
  if (format == LargeBlobFormat::kNoMetadata) {
    LargeBlob& record = out.emplace<LargeBlob>();
    record.category = category;
    record.name = name;
    if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
    return TakePayload(cursor_, cursor_.Take(), record.payload);
  }
  LargeBlobWithMetadata& record = out.emplace<LargeBlobWithMetadata>();
  record.category = category;
  record.name = name;
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  record.timestamp = cursor_.Take();
  if (!TakeThread(cursor_, static_cast<uint8_t>(Bits(info, 36, 43)), record.thread) ||
      !TakeArguments(cursor_, Bits(info, 32, 35), record.arguments)) {
    return false;
  }
  if (cursor_.left() == 0) return Fail(DiagnosticKind::kRecordTooShort);
  return TakePayload(cursor_, cursor_.Take(), record.payload);
}

}  // namespace fxt
