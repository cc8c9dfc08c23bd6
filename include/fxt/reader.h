// SPDX-License-Identifier: BSD-2-Clause
// Reads the Fuchsia Trace Format: a pull loop over records, in bounded memory, from any ByteSource.
//
//   fxt::MemorySource source(bytes);             // or MappedFileSource, FdSource (byte_source.h)
//   fxt::Reader reader(source);
//   while (reader.Next() == fxt::ReadStatus::kRecord) {
//     const fxt::Record& record = reader.record();
//     if (const auto* event = std::get_if<fxt::Event>(&record)) {
//       uint64_t ns = reader.ToNanoseconds(event->timestamp);  // the current provider's rate
//       ... event->name.text, event->thread.thread: references are resolved ...
//     }
//   }
//   if (reader.status() == fxt::ReadStatus::kError) report(reader.error_message());
//   for (const fxt::Diagnostic& d : reader.diagnostics().kept()) warn(fxt::ToString(d));
//
// - Everything a record points to (strings, arguments, payloads) is valid until the next Next().
//   The reader allocates nothing per record.
// - Next() yields every record, definitions (strings, threads, providers) included. It applies a
//   definition to the provider's tables first; the last definition of an index wins. Provider info
//   and provider section records change the current provider ("Provider section metadata").
//   Records before the first of these belong to provider 0.
// - Types and subtypes without a type in record.h are yielded as UnknownRecord. Malformed records
//   are skipped by their size. diagnostics() reports both, with byte offset and reason, and also
//   references to undefined indexes (read as empty text or koids 0 and 0) and a cut last record.
// - kError ends the reading early: no magic number, a big-endian file, a record of size 0 (the next
//   record cannot be found), a source that fails. With ReaderOptions::recover the reader continues
//   behind damage instead.
// - kNeedMore means that the source has no bytes now; call Next() again later.
// - Records need not be in time order ("Timestamps"); the caller sorts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/byte_source.h"
#include "fxt/diagnostic.h"
#include "fxt/format.h"
#include "fxt/reader_provider.h"
#include "fxt/record.h"
#include "fxt/record_parser.h"

namespace fxt {

enum class ReadStatus : uint8_t {
  kRecord,    // record() is the next record
  kNeedMore,  // the source has no bytes now
  kEnd,       // all records were read; see truncated()
  kError,     // see error()
};

enum class ReadError : uint8_t {
  kNone,
  kEmpty,      // the input has no bytes
  kNoMagic,    // the first eight bytes are not the magic number record
  kBigEndian,  // they are the magic number record in the other byte order
  kSizeZero,   // a record of size 0
  kSource,     // the source failed: ByteSource::ErrorText()
};

class Reader;

// The answer of ReaderOptions::validate about a well-formed record.
enum class Validity : uint8_t {
  kValid,
  kInvalid,  // skipped like damaged bytes
  // The record belongs to another provider, whose section record was lost. The tables of the
  // current provider do not apply until the next section record.
  kOtherProvider,
};

// A context switch of the legacy layout ("Context switch record"). Its threads are indexes of the
// thread table, which Reader::VisitSchedulingRecords() does not resolve.
struct UnresolvedSwitch {
  uint64_t header = 0;
  Ticks timestamp = 0;

  uint8_t cpu() const { return static_cast<uint8_t>(header >> 16); }
  ThreadState outgoing_state() const { return static_cast<ThreadState>(header >> 24 & 0xf); }
  uint8_t outgoing() const { return static_cast<uint8_t>(header >> 28); }
  uint8_t incoming() const { return static_cast<uint8_t>(header >> 36); }
  uint8_t outgoing_priority() const { return static_cast<uint8_t>(header >> 44); }
  uint8_t incoming_priority() const { return static_cast<uint8_t>(header >> 52); }
};

// A thread wakeup (newer editions, scheduling event type 2) with no argument, one koid argument, or
// a koid argument and a string argument.
struct UnresolvedWakeup {
  Ticks timestamp = 0;
  uint16_t cpu = 0;
  Koid thread = 0;
  uint16_t argument_name = 0;  // index of the string table; 0: no argument
  Koid argument_koid = 0;
  uint16_t text_name = 0;  // index of the string table; 0: no string argument
  uint16_t text = 0;       // the same, of its value
};

struct ReaderOptions {
  // False accepts streams without the leading magic number record (a provider's own buffer).
  bool require_magic = true;
  // Searches for the next plausible record behind damage, also at the start of the input, instead
  // of failing.
  bool recover = false;
  // Recovery calls this for every well-formed record before it applies its definitions. record(),
  // words(), offset(), provider() and PeekTimes() are those of that record. All are valid without.
  std::function<Validity(const Reader&)> validate;
  // For sources that are not in memory, in bytes: the initial window, and the largest record. The
  // window grows only as bytes of a larger record arrive.
  size_t window_bytes = size_t{1} << 20;
  size_t max_record_bytes = size_t{64} << 20;
  // Bytes of all providers' tables together. Half of them are reserved for the providers that have
  // the name of the first one: in a recording these are the recorder's, and no other provider can
  // take the memory of their names.
  size_t max_table_bytes = size_t{256} << 20;
  // Bytes of the tables of each other provider.
  size_t max_provider_table_bytes = size_t{16} << 20;
  // A budget for the tables of several readers together. Must outlive the readers. May be null.
  TableBudget* shared_tables = nullptr;
  // Limits diagnostics().kept(); the handler gets all of them.
  size_t max_diagnostics = 100;
  DiagnosticHandler on_diagnostic;
};

class Reader {
 public:
  // Bytes of a chain of ordinary records that recovery reads behind a candidate.
  static constexpr size_t kRecoveryLookahead = size_t{256} << 10;

  // `source` must outlive the reader.
  explicit Reader(ByteSource& source, ReaderOptions options = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Steps to the next record. After kEnd or kError it returns the same status again.
  ReadStatus Next() {
    if (ReadSwitch()) [[likely]] {
      return ReadStatus::kRecord;
    }
    return ReadAnyRecord();
  }

  // Passes the following context switches and wakeups to `visitor`, at most `max_records` of them,
  // and returns how many. Stops before a record of another kind or layout, and before a record that
  // the visitor refuses: `bool OnSwitch(const UnresolvedSwitch&)`,
  // `bool OnWakeup(const UnresolvedWakeup&)`. Next() reads that record then. The indexes may be
  // undefined. provider() stays the same; record(), offset() and words() do not change.
  // Returns 0 before the first Next() and while recovering.
  template <typename Visitor>
  uint64_t VisitSchedulingRecords(Visitor&& visitor, uint64_t max_records);

  ReadStatus status() const { return status_; }
  // The record of the last Next() that returned kRecord.
  const Record& record() const { return record_; }
  // Its offset in bytes from the start of the uncompressed stream.
  uint64_t offset() const { return offset_; }
  // Its 64-bit words as read, header first.
  std::span<const uint64_t> words() const { return words_; }

  // The provider that record() belongs to.
  const ReaderProvider& provider() const { return *provider_; }
  uint64_t ToNanoseconds(Ticks ticks) const { return provider_->ToNanoseconds(ticks); }

  // True if a provider info record announced this id.
  bool IsAnnounced(uint32_t provider_id) const;
  // For `validate`: sets `times` to the times, in ns, of the records behind record(), as their
  // headers suggest. Skips damage. Times beyond the end of the input are ~0. Returns how many it
  // set, which is fewer where kRecoveryLookahead bytes hold fewer records.
  size_t PeekTimes(std::span<uint64_t> times) const;

  ReadError error() const { return error_; }
  // One line that names the error and its byte; empty without an error.
  std::string error_message() const;
  // The input ended inside a record, or its source reported missing bytes.
  bool truncated() const;
  const DiagnosticLog& diagnostics() const { return log_; }

  // Bytes of the window, the tables and the copy of an unaligned record.
  size_t memory_bytes() const {
    return window_bytes_ + main_budget_.used + other_budget_.used +
           (scratch_.capacity() + probe_scratch_.capacity()) * 8;
  }

  // Bytes of the stream consumed so far.
  uint64_t position() const { return base_offset_ + static_cast<uint64_t>(cursor_ - base_); }

 private:
  enum class FillStatus : uint8_t { kOk, kAgain, kEnd, kError, kTooLarge };

  // The fast paths of Next(): false if the next record is not of the common layout.
  bool ReadSwitch();
  bool ReadWakeup();
  ReadStatus ReadAnyRecord();
  ReadStatus Finish(ReadStatus status);
  ReadStatus Fail(ReadError error);
  bool CheckMagic();
  // Makes `bytes` bytes available at cursor_.
  FillStatus Fill(uint64_t bytes);
  void GrowWindow();
  ReadStatus AtShortage(FillStatus fill, uint64_t wanted);
  ReadStatus AtEnd();
  bool SkipForward();
  // `words` words at `at`, copied to `scratch` if `at` is not aligned.
  std::span<const uint64_t> Aligned(const std::byte* at, size_t words,
                                    std::vector<uint64_t>& scratch) const;
  void Apply();
  // `name` is that of a provider info record, empty for a section.
  void SwitchProvider(uint32_t id, std::string_view name = {});
  size_t available() const { return static_cast<size_t>(limit_ - cursor_); }
  // No more bytes can become available behind limit_.
  bool exhausted() const {
    return contents_end_ != nullptr ? limit_ == contents_end_ : source_ended_;
  }

  // Recovery.
  void StartResync();
  bool IsPlausible(bool parsed, uint64_t bytes);
  bool HasPlausibleSize(uint64_t bytes);
  // Asks ReaderOptions::validate; skips the record if it is invalid.
  bool IsValid(uint64_t bytes);
  bool HasSeveralProviders() const;
  // The next address at or behind `at` where plausible headers follow one another.
  const std::byte* SkipDamage(const std::byte* at) const;
  void EnterUnknownProvider();
  bool Resync();
  bool IsPlausibleChain(const std::byte* at, bool on_grid);
  bool IsPlausibleRecord(const std::byte* at, size_t words);

  ByteSource& source_;
  ReaderOptions options_;

  // Available bytes: [base_, limit_), of which [cursor_, limit_) is unread.
  const std::byte* base_ = nullptr;
  const std::byte* cursor_ = nullptr;
  const std::byte* limit_ = nullptr;
  uint64_t base_offset_ = 0;  // of base_ in the stream
  // Sources in memory: the end of the contents. limit_ moves in steps, to release pages behind it.
  const std::byte* contents_end_ = nullptr;
  // Other sources:
  std::unique_ptr<uint64_t[]> window_;
  size_t window_bytes_ = 0;
  bool source_ended_ = false;
  bool source_truncated_ = false;
  uint64_t skip_bytes_ = 0;  // of a record above max_record_bytes, still to be read

  bool started_ = false;
  // The last Next() yielded a record, the next one is aligned, and the reader is not recovering.
  bool fast_path_ = false;
  ReadStatus status_ = ReadStatus::kNeedMore;
  ReadError error_ = ReadError::kNone;

  Record record_;
  uint64_t offset_ = 0;
  std::span<const uint64_t> words_;
  std::vector<uint64_t> scratch_;  // a copy of an unaligned record
  RecordParser parser_;
  Argument waker_{{}, KoidValue{}};  // of a wakeup that ReadWakeup() read
  DiagnosticLog log_;

  // The budgets of the providers with the name of the first one, and of all others.
  TableBudget main_budget_;
  TableBudget other_budget_;
  std::string main_name_;  // of the first announced provider
  std::unordered_map<uint32_t, std::unique_ptr<ReaderProvider>> providers_;
  // Used when the budget allows no further provider; keeps no tables.
  TableBudget overflow_budget_;
  std::unique_ptr<ReaderProvider> overflow_provider_;
  ReaderProvider* provider_ = nullptr;

  // Recovery.
  bool resyncing_ = false;  // cursor_ is a candidate, not yet a record
  uint64_t damage_offset_ = 0;
  // The provider of records between damage that may hide a section record and the next one.
  std::unique_ptr<ReaderProvider> unknown_provider_;
  TableBudget unknown_budget_;
  // Caches where SkipDamage() found no record: [from, to) in the stream.
  struct RecordlessRange {
    uint64_t from = 0;
    uint64_t to = 0;
  };
  mutable RecordlessRange recordless_;
  // Parses candidates.
  RecordParser probe_parser_;
  DiagnosticLog probe_log_;
  Record probe_record_;
  std::vector<uint64_t> probe_scratch_;
};

// Most records of a scheduler trace are context switches of two words with both threads in the
// table, or wakeups with a koid argument whose name is in the table (ReadWakeup() in reader.cc).
inline bool Reader::ReadSwitch() {
  constexpr uint64_t kTypeAndSize = static_cast<uint64_t>(RecordType::kScheduling) | 2 << 4;
  constexpr uint64_t kSubtype = uint64_t{0xf} << 60;
  if (!fast_path_ || available() < 2 * kWordBytes) return false;
  const auto* words = reinterpret_cast<const uint64_t*>(cursor_);
  const uint64_t header = words[0];
  if ((header & (kSubtype | 0xffff)) != kTypeAndSize) return false;
  const auto outgoing = static_cast<uint8_t>(header >> 28);
  const auto incoming = static_cast<uint8_t>(header >> 36);
  if (!provider_->has_thread(outgoing) || !provider_->has_thread(incoming)) return false;

  auto* record = std::get_if<LegacyContextSwitch>(&record_);
  if (record == nullptr) record = &record_.emplace<LegacyContextSwitch>();
  record->timestamp = words[1];
  record->cpu = static_cast<uint8_t>(header >> 16);
  record->outgoing_state = static_cast<ThreadState>(header >> 24 & 0xf);
  const ReaderProvider::ThreadIds& out = provider_->thread(outgoing);
  record->outgoing = ThreadRef::Indexed(outgoing, out.process, out.thread);
  const ReaderProvider::ThreadIds& in = provider_->thread(incoming);
  record->incoming = ThreadRef::Indexed(incoming, in.process, in.thread);
  record->outgoing_priority = static_cast<uint8_t>(header >> 44);
  record->incoming_priority = static_cast<uint8_t>(header >> 52);

  offset_ = position();
  words_ = {words, 2};
  cursor_ += 2 * kWordBytes;
  return true;
}

template <typename Visitor>
uint64_t Reader::VisitSchedulingRecords(Visitor&& visitor, uint64_t max_records) {
  constexpr uint64_t kSubtype = uint64_t{0xf} << 60;
  constexpr uint64_t kSwitch = static_cast<uint64_t>(RecordType::kScheduling) | 2 << 4;
  constexpr uint64_t kSwitchMask = kSubtype | 0xffff;
  constexpr uint64_t kWakeup = static_cast<uint64_t>(RecordType::kScheduling) |
                               static_cast<uint64_t>(SchedulingType::kThreadWakeup) << 60;
  constexpr uint64_t kAlone = kWakeup | 3 << 4;
  constexpr uint64_t kWithOne = kWakeup | 5 << 4 | 1 << 16;  // words, arguments
  constexpr uint64_t kWithText = kWakeup | 6 << 4 | 2 << 16;
  constexpr uint64_t kWakeupMask = kSubtype | 0xfffff;
  constexpr uint64_t kKoid = static_cast<uint64_t>(ArgumentType::kKoid) | 2 << 4;
  constexpr uint64_t kText = static_cast<uint64_t>(ArgumentType::kString) | 1 << 4;
  constexpr size_t kLongest = 6 * kWordBytes;
  const auto is_indexed = [](uint16_t reference) {
    return reference != 0 && (reference & kInlineStringBit) == 0;
  };

  if (!fast_path_) return 0;
  const std::byte* at = cursor_;
  const std::byte* const limit = limit_;
  uint64_t visited = 0;
  for (; visited < max_records && static_cast<size_t>(limit - at) >= kLongest; ++visited) {
    const auto* words = reinterpret_cast<const uint64_t*>(at);
    const uint64_t header = words[0];
    if ((header & kSwitchMask) == kSwitch) {
      if (!visitor.OnSwitch(UnresolvedSwitch{header, words[1]})) break;
      at += 2 * kWordBytes;
      continue;
    }
    UnresolvedWakeup wakeup{
        .timestamp = words[1], .cpu = static_cast<uint16_t>(header >> 20), .thread = words[2]};
    const bool with_text = (header & kWakeupMask) == kWithText;
    if (with_text || (header & kWakeupMask) == kWithOne) {
      wakeup.argument_name = static_cast<uint16_t>(words[3] >> 16);
      wakeup.argument_koid = words[4];
      if ((words[3] & 0xffff) != kKoid || !is_indexed(wakeup.argument_name)) break;
      if (with_text) {
        wakeup.text_name = static_cast<uint16_t>(words[5] >> 16);
        wakeup.text = static_cast<uint16_t>(words[5] >> 32);
        if ((words[5] & 0xffff) != kText || !is_indexed(wakeup.text_name) ||
            !is_indexed(wakeup.text)) {
          break;
        }
      }
      if (!visitor.OnWakeup(wakeup)) break;
      at += (with_text ? 6 : 5) * kWordBytes;
    } else if ((header & kWakeupMask) == kAlone) {
      if (!visitor.OnWakeup(wakeup)) break;
      at += 3 * kWordBytes;
    } else {
      break;
    }
  }
  cursor_ = at;
  return visited;
}

}  // namespace fxt
