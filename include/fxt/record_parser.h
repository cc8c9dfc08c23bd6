// SPDX-License-Identifier: BSD-2-Clause
// Decodes one whole record. The Reader frames records and keeps the tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "fxt/diagnostic.h"
#include "fxt/format.h"
#include "fxt/reader_provider.h"
#include "fxt/record.h"

namespace fxt {

class RecordParser {
 public:
  // `words` is one record, header first, of the length that its size field states (at least one
  // word). `provider` resolves references. True: `out` holds the record (an UnknownRecord for an
  // unknown type or subtype). Its views of `words`, of the provider's tables and of this parser are
  // valid until one of these changes. False: the record is malformed, `log` has the reason, and
  // `out` is unspecified. Does not change the provider.
  bool Parse(std::span<const uint64_t> words, uint64_t offset, const ReaderProvider& provider,
             DiagnosticLog& log, Record& out);

  // Words of the last record behind the fields of this edition ("Extend the format": additions show
  // in the size).
  size_t trailing_words() const { return cursor_.left(); }

 private:
  // Bits `first` to `last` of a header, both included; 0 is the lowest.
  static constexpr uint64_t Bits(uint64_t word, unsigned first, unsigned last) {
    return (word >> first) & (~uint64_t{0} >> (63 - (last - first)));
  }
  // The words not consumed yet.
  class Cursor {
   public:
    Cursor() = default;
    explicit Cursor(std::span<const uint64_t> words)
        : at_(words.data()), end_(words.data() + words.size()) {}

    size_t left() const { return static_cast<size_t>(end_ - at_); }
    const uint64_t* at() const { return at_; }
    void Skip(size_t words) { at_ += words; }
    uint64_t Take() { return *at_++; }  // left() > 0

   private:
    const uint64_t* at_ = nullptr;
    const uint64_t* end_ = nullptr;
  };

  bool Fail(DiagnosticKind kind, uint64_t value = 0);
  void Note(DiagnosticKind kind, uint64_t value);
  void Unknown(DiagnosticKind kind, uint64_t value, Record& out);

  bool ParseMetadata(Record& out);
  bool ParseString(Record& out);
  bool ParseEvent(Record& out);
  bool ParseBlob(Record& out);
  bool ParseUserspaceObject(Record& out);
  bool ParseKernelObject(Record& out);
  bool ParseScheduling(Record& out);
  bool ParseLog(Record& out);
  bool ParseProfiler(Record& out);
  bool ParseLarge(Record& out);

  // Each consumes its part from the cursor; false if the record is malformed.
  bool TakeThread(Cursor& cursor, uint8_t reference, ThreadRef& out);
  bool TakeString(Cursor& cursor, uint16_t reference, StringRef& out);
  bool TakeText(Cursor& cursor, size_t bytes, std::string_view& out);
  bool TakePayload(Cursor& cursor, uint64_t bytes, std::span<const std::byte>& out);
  bool TakeArguments(Cursor& cursor, size_t count, std::span<const Argument>& out);
  bool TakeArgument(Cursor& cursor, Argument& out);
  ThreadRef ResolveThread(uint8_t index);

  // The current record.
  std::span<const uint64_t> words_;
  Cursor cursor_;
  uint64_t offset_ = 0;
  const ReaderProvider* provider_ = nullptr;
  DiagnosticLog* log_ = nullptr;

  std::array<Argument, kMaxArguments> arguments_;
};

}  // namespace fxt
