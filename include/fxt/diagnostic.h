// SPDX-License-Identifier: BSD-2-Clause
// Reports what a Reader skipped or assumed: byte offset and reason, in bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fxt {

enum class DiagnosticKind : uint8_t {
  // Skipped by size, and counted ("Extend the format").
  kUnknownRecordType,    // value: record type. The reader yields an UnknownRecord
  kUnknownSubtype,       // value: subtype of its record type. The reader yields an UnknownRecord
  kUnknownArgumentType,  // value: argument type. The argument is an UnknownValue
  // Malformed: the record is skipped.
  kRecordTooShort,    // the size does not cover the fixed parts
  kStringPastEnd,     // value: length in bytes of an inline string, name or message
  kPayloadPastEnd,    // value: length in bytes of a blob, build id or list of frames
  kArgumentPastEnd,   // value: size in words that the argument states (0 where no header fits)
  kArgumentSizeZero,  // an argument of size 0
  kArgumentTooShort,  // value: argument type. The argument's size does not cover its value
  kBadMagicNumber,    // a magic number record with another number; value: the word
  kZeroTickRate,      // initialization with 0 ticks per second; the rate does not change
  kReservedIndex,     // a string or thread record for index 0, which must be ignored
  kRecordTooLarge,    // value: bytes. More than ReaderOptions::max_record_bytes through a window
  // The record is read with an assumption.
  kUndefinedString,  // value: string index that no record defined; read as empty
  kUndefinedThread,  // value: thread index that no record defined; read as koids 0 and 0
  kUnknownProvider,  // value: provider id of a section or event that no provider info announced
  kTableLimit,       // a table entry was dropped: ReaderOptions::max_table_bytes
  // The end.
  kTruncatedRecord,  // value: bytes of the cut record that exist
  kTruncatedSource,  // the source ended early (a compressed stream that was cut)
  kSizeZero,         // a record of size 0: the next record cannot be found
  // Recovery.
  kBytesSkipped,  // value: bytes skipped to find the next record
  kCount,
};
inline constexpr size_t kDiagnosticKinds = static_cast<size_t>(DiagnosticKind::kCount);

enum class DiagnosticClass : uint8_t { kUnknown, kMalformed, kAssumed, kEnd, kRecovery };
DiagnosticClass ClassOf(DiagnosticKind kind);

// The reason as a phrase, without the value. Static storage.
std::string_view Describe(DiagnosticKind kind);

struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::kCount;
  uint8_t record_type = 0;  // bits 0..3 of the record at `offset`
  uint64_t offset = 0;      // of the record, in bytes from the start of the (uncompressed) stream
  uint64_t value = 0;       // see DiagnosticKind

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// "at byte 4096: inline string reaches past the end of the record (250)".
std::string ToString(const Diagnostic& diagnostic);

using DiagnosticHandler = std::function<void(const Diagnostic&)>;

// Counts all diagnostics, keeps the first ones and passes each to the handler.
class DiagnosticLog {
 public:
  DiagnosticLog(size_t keep, DiagnosticHandler handler)
      : keep_(keep), handler_(std::move(handler)) {}

  void Add(const Diagnostic& diagnostic);

  uint64_t count(DiagnosticKind kind) const { return counts_[static_cast<size_t>(kind)]; }
  uint64_t count(DiagnosticClass klass) const;
  uint64_t total() const;
  // The first ones, in order; at most ReaderOptions::max_diagnostics.
  const std::vector<Diagnostic>& kept() const { return kept_; }

 private:
  size_t keep_;
  DiagnosticHandler handler_;
  std::array<uint64_t, kDiagnosticKinds> counts_{};
  std::vector<Diagnostic> kept_;
};

}  // namespace fxt
