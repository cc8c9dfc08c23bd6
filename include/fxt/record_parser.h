// SPDX-License-Identifier: BSD-2-Clause
// Takes one whole record apart. The Reader frames records and keeps the tables; this knows layouts.
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
  // `words` is one record, header first, as long as its size field says (at least one word).
  // References are resolved with `provider`. True: `out` holds the record (an UnknownRecord for a
  // type or subtype without a name here), with views into `words`, into the provider's tables and
  // into this parser, valid until either changes. False: the record is malformed, `log` says why,
  // `out` is unspecified. Nothing is defined in the provider.
  bool Parse(std::span<const uint64_t> words, uint64_t offset, const ReaderProvider& provider,
             DiagnosticLog& log, Record& out);

  // Words of the last record behind what this edition of the format puts into it ("Extend the
  // format": appended information shows in the size).
  size_t trailing_words() const { return cursor_.left(); }

 private:
  // Of a record's header: bits `first` to `last`, both included, 0 the lowest.
  static constexpr uint64_t Bits(uint64_t word, unsigned first, unsigned last) {
    return (word >> first) & (~uint64_t{0} >> (63 - (last - first)));
  }
  // The words that are not taken yet.
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

  // Each takes what belongs to it from the cursor, or fails.
  bool TakeThread(Cursor& cursor, uint8_t reference, ThreadRef& out);
  bool TakeString(Cursor& cursor, uint16_t reference, StringRef& out);
  bool TakeText(Cursor& cursor, size_t bytes, std::string_view& out);
  bool TakePayload(Cursor& cursor, uint64_t bytes, std::span<const std::byte>& out);
  bool TakeArguments(Cursor& cursor, size_t count, std::span<const Argument>& out);
  bool TakeArgument(Cursor& cursor, Argument& out);
  ThreadRef ResolveThread(uint8_t index);

  // The record in hand.
  std::span<const uint64_t> words_;
  Cursor cursor_;
  uint64_t offset_ = 0;
  const ReaderProvider* provider_ = nullptr;
  DiagnosticLog* log_ = nullptr;

  std::array<Argument, kMaxArguments> arguments_;
};

}  // namespace fxt
