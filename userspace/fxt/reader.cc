// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fxt/reserved_bits.h"

namespace fxt {
namespace {

// Sources in memory release the pages before cursor_ in steps of this many bytes.
constexpr size_t kReleaseStep = size_t{8} << 20;
// Memory of a provider with empty tables, including the node of the map.
constexpr size_t kProviderBytes = sizeof(ReaderProvider) + 64;

uint64_t Load(const std::byte* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

uint64_t RecordWords(uint64_t header) {
  const bool large = (header & 0xf) == static_cast<uint64_t>(RecordType::kLarge);
  return large ? header >> 4 & 0xffffffff : header >> 4 & 0xfff;
}

bool IsAligned(const std::byte* at) { return reinterpret_cast<uintptr_t>(at) % kWordBytes == 0; }

// Records that must follow one another for a candidate to be accepted: on the word grid of the
// records before the damage, and off it (bytes were lost or inserted).
constexpr int kChainOnGrid = 3;
constexpr int kChainOffGrid = 5;

// Checks size, reserved bits and enumerators of the header.
bool IsPlausibleHeader(uint64_t header, uint64_t size) {
  const size_t minimum = MinimumRecordWords(header);
  if (minimum == 0 || size < minimum || (header & ReservedHeaderBits(header)) != 0) return false;
  const bool legacy_switch =
      (header & 0xf) == static_cast<uint64_t>(RecordType::kScheduling) && header >> 60 == 0;
  return !legacy_switch || (header >> 24 & 0xf) <= static_cast<uint64_t>(ThreadState::kDead);
}

// Headers that must follow one another for PeekTimes(), whose caller takes a majority of times.
constexpr int kChainOfHeaders = 6;
// The size of a record larger than that is checked: a wrong one would hide many records.
constexpr uint64_t kLongWords = 256;

// True if the second word is a timestamp.
bool HasTime(uint64_t header) {
  switch (static_cast<RecordType>(header & 0xf)) {
    case RecordType::kEvent:
    case RecordType::kScheduling:
    case RecordType::kLog:
    case RecordType::kProfiler:
      return true;
    default:
      return false;
  }
}

bool IsKnown(const Record& record) {
  return !std::holds_alternative<UnknownRecord>(record) &&
         !std::holds_alternative<TraceInfo>(record);
}

}  // namespace

Reader::~Reader() {
  for (TableBudget* budget : {&main_budget_, &other_budget_, &unknown_budget_}) budget->GiveBack();
}

Reader::Reader(ByteSource& source, ReaderOptions options)
    : source_(source),
      options_(std::move(options)),
      log_(options_.max_diagnostics, options_.on_diagnostic),
      probe_log_(0, nullptr) {
  main_budget_.limit = options_.max_table_bytes - options_.max_table_bytes / 2;
  other_budget_.limit = options_.max_table_bytes / 2;
  main_budget_.shared = other_budget_.shared = unknown_budget_.shared = options_.shared_tables;
  SwitchProvider(0);
  if (const auto contents = source_.Contents()) {
    base_ = cursor_ = limit_ = contents->data();
    contents_end_ = base_ + contents->size();
    source_ended_ = true;
    return;
  }
  // At least an ordinary record and the lookahead of recovery.
  window_bytes_ = std::max(options_.window_bytes, kMaxRecordWords * kWordBytes);
  if (options_.recover) window_bytes_ = std::max(window_bytes_, 2 * kRecoveryLookahead);
  window_bytes_ = WordsForBytes(window_bytes_) * kWordBytes;
  options_.max_record_bytes = std::max(options_.max_record_bytes, window_bytes_);
  window_ = std::make_unique_for_overwrite<uint64_t[]>(window_bytes_ / kWordBytes);
  base_ = cursor_ = limit_ = reinterpret_cast<const std::byte*>(window_.get());
}

ReadStatus Reader::Finish(ReadStatus status) {
  status_ = status;
  fast_path_ = false;
  words_ = {};
  return status;
}

ReadStatus Reader::Fail(ReadError error) {
  error_ = error;
  offset_ = position();
  return Finish(ReadStatus::kError);
}

bool Reader::ReadWakeup() {
  constexpr size_t kWords = 5;
  constexpr uint64_t kRecord = static_cast<uint64_t>(RecordType::kScheduling) | kWords << 4 |
                               uint64_t{1} << 16 |
                               static_cast<uint64_t>(SchedulingType::kThreadWakeup) << 60;
  constexpr uint64_t kRecordMask = uint64_t{0xf} << 60 | 0xfffff;
  constexpr uint64_t kKoid = static_cast<uint64_t>(ArgumentType::kKoid) | 2 << 4;
  if (!fast_path_ || available() < kWords * kWordBytes) return false;
  const auto* words = reinterpret_cast<const uint64_t*>(cursor_);
  if ((words[0] & kRecordMask) != kRecord || (words[3] & 0xffff) != kKoid) return false;
  const auto reference = static_cast<uint16_t>(words[3] >> 16);
  if ((reference & kInlineStringBit) != 0) return false;
  const std::string* name = provider_->FindString(reference);
  if (name == nullptr) return false;

  auto* record = std::get_if<ThreadWakeup>(&record_);
  if (record == nullptr) record = &record_.emplace<ThreadWakeup>();
  record->timestamp = words[1];
  record->cpu = static_cast<uint16_t>(words[0] >> 20);
  record->thread = words[2];
  waker_.name.encoded = reference;
  waker_.name.text = *name;
  *std::get_if<KoidValue>(&waker_.value) = {words[4]};
  record->arguments = {&waker_, 1};

  offset_ = position();
  words_ = {words, kWords};
  cursor_ += kWords * kWordBytes;
  return true;
}

ReadStatus Reader::ReadAnyRecord() {
  if (ReadWakeup()) return ReadStatus::kRecord;
  if (status_ == ReadStatus::kEnd || status_ == ReadStatus::kError) return status_;
  if (!started_ && !CheckMagic()) return status_;
  for (;;) {
    if (skip_bytes_ != 0 && !SkipForward()) return status_;
    if (resyncing_ && !Resync()) return status_;

    if (available() < kWordBytes) {
      const FillStatus fill = Fill(kWordBytes);
      if (fill != FillStatus::kOk) {
        const ReadStatus status = AtShortage(fill, kWordBytes);
        if (resyncing_) continue;
        return status;
      }
    }
    const uint64_t header = Load(cursor_);
    const uint64_t size = RecordWords(header);
    if (size == 0) {
      log_.Add({DiagnosticKind::kSizeZero, static_cast<uint8_t>(header & 0xf), position(), 0});
      if (!options_.recover) return Fail(ReadError::kSizeZero);
      StartResync();
      continue;
    }
    const uint64_t bytes = size * kWordBytes;
    if (available() < bytes) {
      const FillStatus fill = Fill(bytes);
      if (fill != FillStatus::kOk) {
        const ReadStatus status = AtShortage(fill, bytes);
        if (resyncing_ || skip_bytes_ != 0) continue;
        return status;
      }
    }

    if (options_.recover && !exhausted() && available() < bytes + kRecoveryLookahead) {
      Fill(bytes + kRecoveryLookahead);  // fewer bytes suffice
    }
    offset_ = position();
    words_ = Aligned(cursor_, static_cast<size_t>(size), scratch_);
    const bool parsed = parser_.Parse(words_, offset_, *provider_, log_, record_);
    if (options_.recover && !IsPlausible(parsed, bytes)) {
      StartResync();
      continue;
    }
    if (options_.validate && parsed && !IsValid(bytes)) continue;
    cursor_ += bytes;
    if (!parsed) continue;
    Apply();
    fast_path_ = !options_.recover && IsAligned(cursor_);
    return status_ = ReadStatus::kRecord;
  }
}

bool Reader::CheckMagic() {
  const FillStatus fill = Fill(kWordBytes);
  if (fill == FillStatus::kAgain) {
    Finish(ReadStatus::kNeedMore);
    return false;
  }
  if (fill == FillStatus::kError) {
    Fail(ReadError::kSource);
    return false;
  }
  started_ = true;
  if (available() == 0) {
    Fail(ReadError::kEmpty);
    return false;
  }
  const uint64_t word = available() < kWordBytes ? 0 : Load(cursor_);
  if (word == kMagicRecordByteSwapped) {
    Fail(ReadError::kBigEndian);
    return false;
  }
  if (word == kMagicRecord) return true;
  if (options_.recover) {
    StartResync();
    // A record may start at the first byte.
    cursor_ = base_;
    return true;
  }
  if (options_.require_magic) {
    Fail(ReadError::kNoMagic);
    return false;
  }
  return true;
}

Reader::FillStatus Reader::Fill(uint64_t bytes) {
  if (contents_end_ != nullptr) {
    source_.Release(position());
    const auto rest = static_cast<uint64_t>(contents_end_ - cursor_);
    limit_ = cursor_ + std::min<uint64_t>(rest, std::max<uint64_t>(bytes, kReleaseStep));
    return rest < bytes ? FillStatus::kEnd : FillStatus::kOk;
  }
  auto* window = reinterpret_cast<std::byte*>(window_.get());
  // Unread bytes move to the front.
  if (cursor_ != window) {
    const size_t rest = available();
    std::memmove(window, cursor_, rest);
    base_offset_ += static_cast<uint64_t>(cursor_ - base_);
    base_ = cursor_ = window;
    limit_ = window + rest;
  }
  while (available() < bytes) {
    if (source_ended_) return FillStatus::kEnd;
    if (available() == window_bytes_) {
      if (window_bytes_ >= options_.max_record_bytes) return FillStatus::kTooLarge;
      GrowWindow();
      window = reinterpret_cast<std::byte*>(window_.get());
    }
    const size_t have = available();
    const ReadResult result = source_.Read({window + have, window_bytes_ - have});
    switch (result.kind) {
      case ReadResult::Kind::kBytes:
        limit_ += result.bytes;
        break;
      case ReadResult::Kind::kAgain:
        return FillStatus::kAgain;
      case ReadResult::Kind::kTruncated:
        source_truncated_ = true;
        source_ended_ = true;
        break;
      case ReadResult::Kind::kEnd:
        source_ended_ = true;
        break;
      case ReadResult::Kind::kError:
        return FillStatus::kError;
    }
  }
  return FillStatus::kOk;
}

// Called when one record fills the window: it grows only as that record arrives.
void Reader::GrowWindow() {
  const size_t have = available();
  const size_t wanted = std::min(window_bytes_ * 2, options_.max_record_bytes);
  const size_t words = WordsForBytes(wanted);
  auto larger = std::make_unique_for_overwrite<uint64_t[]>(words);
  std::memcpy(larger.get(), cursor_, have);
  window_ = std::move(larger);
  window_bytes_ = words * kWordBytes;
  base_ = cursor_ = reinterpret_cast<const std::byte*>(window_.get());
  limit_ = base_ + have;
}

// Handles a record at cursor_ of which fewer than `wanted` bytes are available. Sets resyncing_ or
// skip_bytes_ if reading continues.
ReadStatus Reader::AtShortage(FillStatus fill, uint64_t wanted) {
  switch (fill) {
    case FillStatus::kAgain:
      return Finish(ReadStatus::kNeedMore);
    case FillStatus::kError:
      return Fail(ReadError::kSource);
    case FillStatus::kTooLarge:
      log_.Add({DiagnosticKind::kRecordTooLarge, static_cast<uint8_t>(Load(cursor_) & 0xf),
                position(), wanted});
      if (options_.recover) {
        StartResync();
      } else {
        skip_bytes_ = wanted;
      }
      return status_;
    case FillStatus::kEnd:
    case FillStatus::kOk:
      break;
  }
  if (available() != 0) {
    const auto type = static_cast<uint8_t>(*cursor_) & 0xf;
    log_.Add({DiagnosticKind::kTruncatedRecord, static_cast<uint8_t>(type), position(),
              static_cast<uint64_t>(available())});
    if (options_.recover) {
      StartResync();
      return status_;
    }
    cursor_ = limit_;
  }
  return AtEnd();
}

ReadStatus Reader::AtEnd() {
  if (source_truncated_) log_.Add({DiagnosticKind::kTruncatedSource, 0, position(), 0});
  return Finish(ReadStatus::kEnd);
}

// False: status_ is kNeedMore, kEnd or kError.
bool Reader::SkipForward() {
  while (skip_bytes_ != 0) {
    const auto step = static_cast<size_t>(std::min<uint64_t>(skip_bytes_, available()));
    cursor_ += step;
    skip_bytes_ -= step;
    if (skip_bytes_ == 0) return true;
    const FillStatus fill = Fill(1);
    if (fill == FillStatus::kOk) continue;
    if (fill == FillStatus::kEnd) {
      log_.Add({DiagnosticKind::kTruncatedRecord, 0, position(), 0});
      AtEnd();
    } else {
      AtShortage(fill, skip_bytes_);
    }
    return false;
  }
  return true;
}

std::span<const uint64_t> Reader::Aligned(const std::byte* at, size_t words,
                                          std::vector<uint64_t>& scratch) const {
  if (IsAligned(at)) return {reinterpret_cast<const uint64_t*>(at), words};
  scratch.resize(words);
  std::memcpy(scratch.data(), at, words * kWordBytes);
  return scratch;
}

// Applies definitions to the tables and switches providers.
void Reader::Apply() {
  const auto type = static_cast<uint8_t>(words_[0] & 0xf);
  if (type > static_cast<uint8_t>(RecordType::kThread)) return;
  if (const auto* string = std::get_if<StringRecord>(&record_)) {
    if (!provider_->DefineString(string->index, string->text)) {
      log_.Add({DiagnosticKind::kTableLimit, type, offset_, string->index});
    }
  } else if (const auto* thread = std::get_if<ThreadRecord>(&record_)) {
    if (!provider_->DefineThread(thread->index, thread->process, thread->thread)) {
      log_.Add({DiagnosticKind::kTableLimit, type, offset_, thread->index});
    }
  } else if (const auto* init = std::get_if<Initialization>(&record_)) {
    provider_->SetTickRate(init->ticks_per_second);
  } else if (const auto* info = std::get_if<ProviderInfo>(&record_)) {
    SwitchProvider(info->id, info->name);
    provider_->Announce(info->name);
  } else if (const auto* section = std::get_if<ProviderSection>(&record_)) {
    SwitchProvider(section->id);
    if (!provider_->announced()) {
      log_.Add({DiagnosticKind::kUnknownProvider, type, offset_, section->id});
    }
  } else if (const auto* event = std::get_if<ProviderEvent>(&record_)) {
    const auto found = providers_.find(event->id);
    if (found == providers_.end() || !found->second->announced()) {
      log_.Add({DiagnosticKind::kUnknownProvider, type, offset_, event->id});
    }
  }
}

void Reader::SwitchProvider(uint32_t id, std::string_view name) {
  const auto found = providers_.find(id);
  if (found != providers_.end()) {
    provider_ = found->second.get();
    return;
  }
  if (main_name_.empty()) main_name_ = name;
  const bool is_first = providers_.empty();
  const bool is_main = is_first || (!name.empty() && name == main_name_);
  TableBudget& budget = is_main ? main_budget_ : other_budget_;
  const size_t limit = is_main ? budget.limit : options_.max_provider_table_bytes;
  // The first provider is always accepted.
  if (budget.Take(kProviderBytes) || is_first) {
    provider_ = (providers_[id] = std::make_unique<ReaderProvider>(id, budget, limit)).get();
    return;
  }
  log_.Add({DiagnosticKind::kTableLimit, 0, offset_, id});
  overflow_budget_.used = 0;
  overflow_provider_ = std::make_unique<ReaderProvider>(id, overflow_budget_);
  provider_ = overflow_provider_.get();
}

void Reader::StartResync() {
  damage_offset_ = position();
  resyncing_ = true;
  ++cursor_;
}

// True if the record at cursor_, of `bytes` bytes, is plausible. A wrong size would hide the
// records behind it, so unless the whole record parses its size is checked.
bool Reader::IsPlausible(bool parsed, uint64_t bytes) {
  const bool known = parsed && IsKnown(record_);
  if (known && parser_.trailing_words() == 0) return true;
  return HasPlausibleSize(bytes);
}

// Records are so short that a wrong size often ends at the start of a record by chance. Therefore
// no chain of records may start inside either.
bool Reader::HasPlausibleSize(uint64_t bytes) {
  const uint64_t looked_at = std::min<uint64_t>(bytes, kMaxRecordWords * kWordBytes);
  for (uint64_t at = kWordBytes; at < looked_at; at += kWordBytes) {
    if (IsPlausibleChain(cursor_ + at, false)) return false;
  }
  return IsPlausibleChain(cursor_ + bytes, true);
}

bool Reader::IsValid(uint64_t bytes) {
  cursor_ += bytes;
  const Validity validity = options_.validate(*this);
  cursor_ -= bytes;
  if (validity == Validity::kOtherProvider) EnterUnknownProvider();
  if (validity != Validity::kInvalid) return true;
  if (HasPlausibleSize(bytes)) {
    cursor_ += bytes;
    log_.Add({DiagnosticKind::kBytesSkipped, 0, offset_, bytes});
    const bool section = std::holds_alternative<ProviderSection>(record_) ||
                         std::holds_alternative<ProviderInfo>(record_);
    if (section && HasSeveralProviders()) EnterUnknownProvider();
  } else {
    StartResync();
  }
  return false;
}

bool Reader::HasSeveralProviders() const {
  return std::count_if(providers_.begin(), providers_.end(),
                       [](const auto& provider) { return provider.second->announced(); }) > 1;
}

void Reader::EnterUnknownProvider() {
  uint32_t id = ~uint32_t{0};
  while (providers_.contains(id)) --id;
  unknown_budget_.GiveBack();
  unknown_budget_.limit = options_.max_table_bytes;
  auto fresh = std::make_unique<ReaderProvider>(id, unknown_budget_);
  fresh->Announce(provider_->name());
  fresh->SetTickRate(provider_->ticks_per_second());
  provider_ = fresh.get();
  unknown_provider_ = std::move(fresh);
}

const std::byte* Reader::SkipDamage(const std::byte* at) const {
  const auto offset = [&](const std::byte* p) {
    return position() + static_cast<uint64_t>(p - cursor_);
  };
  if (offset(at) >= recordless_.from && offset(at) < recordless_.to) {
    at += std::min<uint64_t>(recordless_.to - offset(at), static_cast<uint64_t>(limit_ - at));
  } else {
    recordless_.from = offset(at);
  }
  const auto is_chain = [&](const std::byte* p) {
    for (int found = 0; found < kChainOfHeaders; ++found) {
      const auto rest = static_cast<size_t>(limit_ - p);
      if (rest < kWordBytes) return false;
      uint64_t header;
      std::memcpy(&header, p, sizeof(header));
      const uint64_t size = header >> 4 & 0xfff;
      if (!IsPlausibleHeader(header, size) || size > rest / kWordBytes) return false;
      p += size * kWordBytes;
    }
    return true;
  };
  while (at != limit_ && !is_chain(at)) ++at;
  recordless_.to = offset(at);
  return at;
}

size_t Reader::PeekTimes(std::span<uint64_t> times) const {
  const ReaderProvider* provider = provider_;
  size_t found = 0;
  const std::byte* at = cursor_;
  while (found < times.size()) {
    const auto rest = static_cast<size_t>(limit_ - at);
    if (rest < 2 * kWordBytes) break;
    uint64_t words[2];
    std::memcpy(words, at, sizeof(words));
    const uint64_t size = words[0] >> 4 & 0xfff;
    if (!IsPlausibleHeader(words[0], size) || size > rest / kWordBytes) {
      at = SkipDamage(at + 1);
      if (at == limit_) return found;
      continue;
    }
    if (size > kLongWords) {
      const std::byte* inside = SkipDamage(at + 1);
      if (inside < at + size * kWordBytes) {
        at = inside;
        continue;
      }
    }
    if (HasTime(words[0])) {
      times[found++] = provider->ToNanoseconds(words[1]);
    } else if ((words[0] & 0xf000f) == static_cast<uint64_t>(MetadataType::kProviderSection)
                                           << 16) {
      const auto section = providers_.find(static_cast<uint32_t>(words[0] >> 20));
      if (section != providers_.end()) provider = section->second.get();
    }
    at += size * kWordBytes;
  }
  if (at == limit_ && exhausted()) {
    std::fill(times.begin() + static_cast<ptrdiff_t>(found), times.end(), ~uint64_t{0});
    found = times.size();
  }
  return found;
}

// Moves cursor_ to the next accepted candidate. False: status_ is kEnd, kNeedMore or kError.
bool Reader::Resync() {
  for (;;) {
    if (available() < kRecoveryLookahead && !exhausted()) {
      const FillStatus fill = Fill(kRecoveryLookahead);
      if (fill == FillStatus::kAgain || fill == FillStatus::kError) {
        AtShortage(fill, kRecoveryLookahead);
        return false;
      }
    }
    const size_t enough = exhausted() ? kWordBytes : kRecoveryLookahead / 2;
    for (; available() >= enough; ++cursor_) {
      if (!IsPlausibleChain(cursor_, (position() - damage_offset_) % kWordBytes == 0)) continue;
      resyncing_ = false;
      log_.Add({DiagnosticKind::kBytesSkipped, 0, damage_offset_, position() - damage_offset_});
      // The skipped bytes may hold a section record.
      if (options_.validate && HasSeveralProviders()) EnterUnknownProvider();
      return true;
    }
    if (exhausted()) break;
  }
  cursor_ = limit_;
  resyncing_ = false;
  log_.Add({DiagnosticKind::kBytesSkipped, 0, damage_offset_, position() - damage_offset_});
  AtEnd();
  return false;
}

// True if records follow one another from `at` on. Headers are checked first: that is cheap and
// rejects most candidates.
bool Reader::IsPlausibleChain(const std::byte* at, bool on_grid) {
  const int wanted = on_grid ? kChainOnGrid : kChainOffGrid;
  size_t sizes[kChainOffGrid];
  int found = 0;
  const std::byte* end = at;
  for (; found < wanted; ++found) {
    const auto rest = static_cast<size_t>(limit_ - end);
    if (rest < kWordBytes) break;
    uint64_t header;
    std::memcpy(&header, end, sizeof(header));
    const uint64_t size = (header & 0xf) == static_cast<uint64_t>(RecordType::kLarge)
                              ? header >> 4 & 0xffffffff
                              : header >> 4 & 0xfff;
    if (!IsPlausibleHeader(header, size)) return false;
    if (size > rest / kWordBytes) break;
    if (!on_grid && size > kMaxRecordWords) return false;
    sizes[found] = static_cast<size_t>(size);
    end += size * kWordBytes;
  }
  // Fewer suffice where the input ends exactly behind them. A size that reaches beyond the end is
  // more likely wrong than of a cut record.
  const bool at_end = end == limit_ && exhausted();
  if (found < wanted && !(at_end && (on_grid || found >= wanted / 2))) return false;
  for (int i = 0; i < found; ++i) {
    if (!IsPlausibleRecord(at, sizes[i])) return false;
    at += sizes[i] * kWordBytes;
  }
  return true;
}

bool Reader::IsPlausibleRecord(const std::byte* at, size_t words) {
  const std::span<const uint64_t> record = Aligned(at, words, probe_scratch_);
  return probe_parser_.Parse(record, 0, *provider_, probe_log_, probe_record_) &&
         probe_parser_.trailing_words() == 0 && IsKnown(probe_record_);
}

bool Reader::IsAnnounced(uint32_t provider_id) const {
  const auto found = providers_.find(provider_id);
  return found != providers_.end() && found->second->announced();
}

bool Reader::truncated() const {
  return log_.count(DiagnosticKind::kTruncatedRecord) != 0 ||
         log_.count(DiagnosticKind::kTruncatedSource) != 0;
}

std::string Reader::error_message() const {
  const std::string at = " at byte " + std::to_string(offset_);
  switch (error_) {
    case ReadError::kNone:
      return {};
    case ReadError::kEmpty:
      return "the input is empty";
    case ReadError::kNoMagic:
      return "not a Fuchsia trace: the first eight bytes are not the magic number record";
    case ReadError::kBigEndian:
      return "a Fuchsia trace written by a big-endian machine, which this reader does not read";
    case ReadError::kSizeZero:
      return "record of size 0" + at + ": the next record cannot be found";
    case ReadError::kSource:
      return "cannot read further" + at + ": " + source_.ErrorText();
  }
  return {};
}

}  // namespace fxt
