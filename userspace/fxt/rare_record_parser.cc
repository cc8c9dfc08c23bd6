// SPDX-License-Identifier: BSD-2-Clause
// The part of RecordParser for records that few traces have, and none has many of.
#include "fxt/record_parser.h"

namespace fxt {

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
