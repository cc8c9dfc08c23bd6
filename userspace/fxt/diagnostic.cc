// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/diagnostic.h"

namespace fxt {

DiagnosticClass ClassOf(DiagnosticKind kind) {
  if (kind <= DiagnosticKind::kUnknownArgumentType) return DiagnosticClass::kUnknown;
  if (kind <= DiagnosticKind::kRecordTooLarge) return DiagnosticClass::kMalformed;
  if (kind <= DiagnosticKind::kTableLimit) return DiagnosticClass::kAssumed;
  if (kind <= DiagnosticKind::kSizeZero) return DiagnosticClass::kEnd;
  return DiagnosticClass::kRecovery;
}

std::string_view Describe(DiagnosticKind kind) {
  switch (kind) {
    case DiagnosticKind::kUnknownRecordType:
      return "unknown record type";
    case DiagnosticKind::kUnknownSubtype:
      return "unknown subtype of a known record type";
    case DiagnosticKind::kUnknownArgumentType:
      return "unknown argument type";
    case DiagnosticKind::kRecordTooShort:
      return "record too short for its fixed parts";
    case DiagnosticKind::kStringPastEnd:
      return "string reaches past the end of its record";
    case DiagnosticKind::kPayloadPastEnd:
      return "payload reaches past the end of its record";
    case DiagnosticKind::kArgumentPastEnd:
      return "argument reaches past the end of its record";
    case DiagnosticKind::kArgumentSizeZero:
      return "argument of size 0";
    case DiagnosticKind::kArgumentTooShort:
      return "argument too short for its name and value";
    case DiagnosticKind::kBadMagicNumber:
      return "magic number record with another number";
    case DiagnosticKind::kZeroTickRate:
      return "initialization record with 0 ticks per second";
    case DiagnosticKind::kReservedIndex:
      return "definition of the reserved index 0";
    case DiagnosticKind::kRecordTooLarge:
      return "record larger than the limit for streamed input";
    case DiagnosticKind::kUndefinedString:
      return "reference to a string index that is not defined";
    case DiagnosticKind::kUndefinedThread:
      return "reference to a thread index that is not defined";
    case DiagnosticKind::kUnknownProvider:
      return "provider id that no provider info record announced";
    case DiagnosticKind::kTableLimit:
      return "string or provider table larger than the limit";
    case DiagnosticKind::kTruncatedRecord:
      return "the last record is cut";
    case DiagnosticKind::kTruncatedSource:
      return "the input ends early";
    case DiagnosticKind::kSizeZero:
      return "record of size 0";
    case DiagnosticKind::kBytesSkipped:
      return "bytes that belong to no record";
    case DiagnosticKind::kCount:
      break;
  }
  return "?";
}

std::string ToString(const Diagnostic& diagnostic) {
  std::string text = "at byte " + std::to_string(diagnostic.offset) + ": ";
  text += Describe(diagnostic.kind);
  switch (diagnostic.kind) {
    case DiagnosticKind::kRecordTooShort:
    case DiagnosticKind::kArgumentSizeZero:
    case DiagnosticKind::kZeroTickRate:
    case DiagnosticKind::kReservedIndex:
    case DiagnosticKind::kTableLimit:
    case DiagnosticKind::kTruncatedSource:
    case DiagnosticKind::kSizeZero:
      break;
    default:
      text += " (" + std::to_string(diagnostic.value) + ")";
  }
  return text;
}

void DiagnosticLog::Add(const Diagnostic& diagnostic) {
  ++counts_[static_cast<size_t>(diagnostic.kind)];
  if (kept_.size() < keep_) kept_.push_back(diagnostic);
  if (handler_) handler_(diagnostic);
}

uint64_t DiagnosticLog::count(DiagnosticClass klass) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < kDiagnosticKinds; ++i) {
    if (ClassOf(static_cast<DiagnosticKind>(i)) == klass) sum += counts_[i];
  }
  return sum;
}

uint64_t DiagnosticLog::total() const {
  uint64_t sum = 0;
  for (uint64_t count : counts_) sum += count;
  return sum;
}

}  // namespace fxt
