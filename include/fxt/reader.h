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
//   Nothing is allocated per record.
// - Every record is yielded, definitions (strings, threads, providers) included; they are applied
//   to the provider's tables first, the last definition of an index wins. The provider changes at
//   provider info and provider section records. Records before the first belong to provider 0.
// - Types and subtypes without a name in record.h are yielded as UnknownRecord, malformed records
//   are skipped by their size; both are told to diagnostics() with byte offset and reason. So are
//   references to undefined indexes (read as empty text, koids 0 and 0) and a cut last record.
// - What ends the reading before its end (kError): no magic number, a big-endian file, a record of
//   size 0 (the next record cannot be found), a source that fails. ReaderOptions::recover goes on
//   behind damage instead.
// - kNeedMore comes from sources that have nothing now; call Next() again later.
// - Records need not be in time order ("newest edition"); sorting is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
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
  kRecord,    // record() is the next one
  kNeedMore,  // the source has nothing now
  kEnd,       // all records were read; see truncated()
  kError,     // see error()
};

enum class ReadError : uint8_t {
  kNone,
  kEmpty,      // no bytes at all
  kNoMagic,    // the first eight bytes are not the magic number record
  kBigEndian,  // they are, with the bytes in the other order
  kSizeZero,   // a record of size 0
  kSource,     // the source failed: ByteSource::ErrorText()
};

class Reader;

// What recovery is to think of a record of the right shape.
enum class Validity : uint8_t {
  kYes,
  kNo,  // passed over, like bytes that are no record
  // It is another provider's: the section record before it is gone. What the tables hold is not
  // what it and those behind it refer to, until a section record comes.
  kOtherProvider,
};

// Records as they lie in the file, for those who take them by the million: see TakeFastPath().

// A context switch of the legacy layout, both threads by their indexes in the thread table.
struct SwitchWords {
  uint64_t header = 0;
  Ticks timestamp = 0;

  uint8_t cpu() const { return static_cast<uint8_t>(header >> 16); }
  ThreadState outgoing_state() const { return static_cast<ThreadState>(header >> 24 & 0xf); }
  uint8_t outgoing() const { return static_cast<uint8_t>(header >> 28); }
  uint8_t incoming() const { return static_cast<uint8_t>(header >> 36); }
  uint8_t outgoing_priority() const { return static_cast<uint8_t>(header >> 44); }
  uint8_t incoming_priority() const { return static_cast<uint8_t>(header >> 52); }
};

// A wakeup without arguments, or with one that is a koid.
struct WakeupWords {
  Ticks timestamp = 0;
  uint16_t cpu = 0;
  Koid thread = 0;
  uint16_t name = 0;  // of the argument, in the string table; 0: there is none
  Koid value = 0;
};

struct ReaderOptions {
  // False: accept streams without the leading magic number record (a provider's own buffer).
  bool require_magic = true;
  // Look for the next plausible record behind damage instead of trusting or giving up; damage at
  // the start included.
  bool recover = false;
  // Recovery asks this about every record before it takes definitions from it; record(), words(),
  // offset(), provider() and PeekTimes() are those of that record. All are believed without it.
  std::function<Validity(const Reader&)> validate;
  // Bytes kept of a source that is not in memory: the window at first, and the largest record.
  // The window grows only as bytes of a larger record really arrive.
  size_t window_bytes = size_t{1} << 20;
  size_t max_record_bytes = size_t{64} << 20;
  // Bytes that all providers' tables may take together.
  size_t max_table_bytes = size_t{256} << 20;
  // How many diagnostics are kept for diagnostics().kept(); the handler gets all of them.
  size_t max_diagnostics = 100;
  DiagnosticHandler on_diagnostic;
};

class Reader {
 public:
  // What recovery looks at beyond a candidate: a chain of records of the ordinary limit.
  static constexpr size_t kRecoveryLookahead = size_t{256} << 10;

  // `source` must outlive the reader.
  explicit Reader(ByteSource& source, ReaderOptions options = {});

  // Steps to the next record. After kEnd or kError the answer stays the same.
  ReadStatus Next() {
    if (TakeSwitch()) [[likely]] {
      return ReadStatus::kRecord;
    }
    return NextOfAny();
  }

  // Takes the switches and wakeups that come next, as long as they are plain, and no more than
  // `most`: `taker.OnSwitch(plain_switch)` and `taker.OnWakeup(plain_wakeup)` say whether they take
  // one. The first record that nobody takes is that of the following Next(). Indexes are those of
  // the record, defined or not; provider() stays the same meanwhile, and record(), offset() and
  // words() stay those of the last Next(). How many were taken.
  template <typename Taker>
  uint64_t TakeFastPath(Taker&& taker, uint64_t most);

  ReadStatus status() const { return status_; }
  // The record of the last Next() that said kRecord.
  const Record& record() const { return record_; }
  // Where it starts, in bytes from the start of the (uncompressed) stream, and its words as read.
  uint64_t offset() const { return offset_; }
  std::span<const uint64_t> words() const { return words_; }

  // The provider that record() belongs to.
  const ReaderProvider& provider() const { return *provider_; }
  uint64_t ToNanoseconds(Ticks ticks) const { return provider_->ToNanoseconds(ticks); }

  // Whether a provider info record announced this id.
  bool IsAnnounced(uint32_t provider_id) const;
  // When recovering: the times, in ns, of the records behind record(), by their shape; damage is
  // passed over. ~0 for those that the end of the input leaves out. How many of `times` were set:
  // fewer where kRecoveryLookahead bytes do not hold as many.
  size_t PeekTimes(std::span<uint64_t> times) const;

  ReadError error() const { return error_; }
  // One line for people: what is wrong and at which byte; empty without an error.
  std::string error_message() const;
  // The input ended inside a record, or its source says that some of it is missing.
  bool truncated() const;
  const DiagnosticLog& diagnostics() const { return log_; }

  // Bytes held for the window, the tables and a record that had to be copied.
  size_t memory_bytes() const {
    return window_bytes_ + budget_.used + (scratch_.capacity() + probe_scratch_.capacity()) * 8;
  }

  // Bytes of the stream passed so far.
  uint64_t position() const { return base_offset_ + static_cast<uint64_t>(cursor_ - base_); }

 private:
  enum class FillStatus : uint8_t { kOk, kAgain, kEnd, kError, kTooLarge };

  bool TakeSwitch();
  bool TakeWakeup();
  ReadStatus NextOfAny();
  ReadStatus Finish(ReadStatus status);
  ReadStatus Fail(ReadError error);
  bool CheckMagic();
  // Makes `bytes` bytes available at cursor_, or says why not.
  FillStatus Fill(uint64_t bytes);
  void GrowWindow();
  ReadStatus AtShortage(FillStatus fill, uint64_t wanted);
  ReadStatus AtEnd();
  bool SkipForward();
  // `words` words at `at`, copied to `scratch` when they do not lie on a word boundary.
  std::span<const uint64_t> Aligned(const std::byte* at, size_t words,
                                    std::vector<uint64_t>& scratch) const;
  void Apply();
  void SwitchProvider(uint32_t id);
  size_t available() const { return static_cast<size_t>(limit_ - cursor_); }
  // Nothing can become available behind limit_.
  bool exhausted() const {
    return contents_end_ != nullptr ? limit_ == contents_end_ : source_ended_;
  }

  // Recovery (reader_resync.cc).
  void Damaged();
  bool Plausible(bool parsed, uint64_t bytes);
  bool HasPlausibleSize(uint64_t bytes);
  // The same by ReaderOptions::validate; passes over the record if not.
  bool IsPlausible(uint64_t bytes);
  bool SeveralProviders() const;
  // The next place at or behind `at` where headers follow one another.
  const std::byte* SkipDamage(const std::byte* at) const;
  void EnterUnknownProvider();
  bool Resync();
  bool PlausibleChain(const std::byte* at, bool on_grid);
  bool PlausibleRecord(const std::byte* at, size_t words);

  ByteSource& source_;
  ReaderOptions options_;

  // What is available: [base_, limit_), of which [cursor_, limit_) is unread.
  const std::byte* base_ = nullptr;
  const std::byte* cursor_ = nullptr;
  const std::byte* limit_ = nullptr;
  uint64_t base_offset_ = 0;  // of base_ in the stream
  // In memory: the end of the contents (limit_ moves in steps, to give pages back behind them).
  const std::byte* contents_end_ = nullptr;
  // Through a window:
  std::unique_ptr<uint64_t[]> window_;
  size_t window_bytes_ = 0;
  bool source_ended_ = false;
  bool source_truncated_ = false;
  uint64_t skip_bytes_ = 0;  // of a record too large to keep, still to come

  bool started_ = false;
  // The last Next() gave a record, the next one lies on a word boundary, and nothing is to be
  // skipped or doubted before it.
  bool short_way_ = false;
  ReadStatus status_ = ReadStatus::kNeedMore;
  ReadError error_ = ReadError::kNone;

  Record record_;
  uint64_t offset_ = 0;
  std::span<const uint64_t> words_;
  std::vector<uint64_t> scratch_;  // a record that does not lie on a word boundary
  RecordParser parser_;
  Argument waker_{{}, KoidValue{}};  // of a wakeup that took the short way
  DiagnosticLog log_;

  TableBudget budget_;
  std::unordered_map<uint32_t, std::unique_ptr<ReaderProvider>> providers_;
  // Used when the budget allows no further provider: keeps no tables.
  TableBudget overflow_budget_;
  std::unique_ptr<ReaderProvider> overflow_provider_;
  ReaderProvider* provider_ = nullptr;

  // Recovery.
  bool resyncing_ = false;  // cursor_ is a candidate, not yet a record
  uint64_t damage_offset_ = 0;
  // What is read between damage that may have taken a section record along and the next such
  // record: which provider it is of is not known.
  std::unique_ptr<ReaderProvider> unknown_provider_;
  TableBudget unknown_budget_;
  // Where PeekTimes() has found no record: [from, to) in the stream.
  struct Barren {
    uint64_t from = 0;
    uint64_t to = 0;
  };
  mutable Barren barren_;
  RecordParser probe_parser_;
  DiagnosticLog probe_log_;
  Record probe_record_;
  std::vector<uint64_t> probe_scratch_;
};

// The short ways for what most records of a scheduler trace are: a context switch of two words,
// whole, with both threads in the table; and, in reader.cc, a wakeup with a koid for its argument,
// of a name in the table. Everything else goes the long way.
inline bool Reader::TakeSwitch() {
  constexpr uint64_t kTypeAndSize = static_cast<uint64_t>(RecordType::kScheduling) | 2 << 4;
  constexpr uint64_t kSubtype = uint64_t{0xf} << 60;
  if (short_way_ == false || available() < 2 * kWordBytes) return false;
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

template <typename Taker>
uint64_t Reader::TakeFastPath(Taker&& taker, uint64_t most) {
  constexpr uint64_t kSubtype = uint64_t{0xf} << 60;
  constexpr uint64_t kSwitch = static_cast<uint64_t>(RecordType::kScheduling) | 2 << 4;
  constexpr uint64_t kSwitchMask = kSubtype | 0xffff;
  constexpr uint64_t kWakeup = static_cast<uint64_t>(RecordType::kScheduling) |
                               static_cast<uint64_t>(SchedulingType::kThreadWakeup) << 60;
  constexpr uint64_t kAlone = kWakeup | 3 << 4;
  constexpr uint64_t kWithOne = kWakeup | 5 << 4 | 1 << 16;  // words, arguments
  constexpr uint64_t kWakeupMask = kSubtype | 0xfffff;
  constexpr uint64_t kKoid = static_cast<uint64_t>(ArgumentType::kKoid) | 2 << 4;
  constexpr size_t kLongest = 5 * kWordBytes;

  if (!short_way_) return 0;
  const std::byte* at = cursor_;
  const std::byte* const limit = limit_;
  uint64_t taken = 0;
  for (; taken < most && static_cast<size_t>(limit - at) >= kLongest; ++taken) {
    const auto* words = reinterpret_cast<const uint64_t*>(at);
    const uint64_t header = words[0];
    if ((header & kSwitchMask) == kSwitch) {
      if (!taker.OnSwitch(SwitchWords{header, words[1]})) break;
      at += 2 * kWordBytes;
      continue;
    }
    WakeupWords wakeup{
        .timestamp = words[1], .cpu = static_cast<uint16_t>(header >> 20), .thread = words[2]};
    if ((header & kWakeupMask) == kWithOne) {
      wakeup.name = static_cast<uint16_t>(words[3] >> 16);
      wakeup.value = words[4];
      const bool koid = (words[3] & 0xffff) == kKoid;
      if (!koid || wakeup.name == 0 || (wakeup.name & kInlineStringBit) != 0) break;
      if (!taker.OnWakeup(wakeup)) break;
      at += 5 * kWordBytes;
    } else if ((header & kWakeupMask) == kAlone) {
      if (!taker.OnWakeup(wakeup)) break;
      at += 3 * kWordBytes;
    } else {
      break;
    }
  }
  cursor_ = at;
  return taken;
}

}  // namespace fxt
