// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fxt {
namespace {

// How far contents in memory are opened up before the pages behind are given back.
constexpr size_t kReleaseStep = size_t{8} << 20;
// Memory that a provider with empty tables takes, the node of the map included.
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

}  // namespace

Reader::Reader(ByteSource& source, ReaderOptions options)
    : source_(source),
      options_(std::move(options)),
      log_(options_.max_diagnostics, options_.on_diagnostic),
      probe_log_(0, nullptr) {
  budget_.limit = options_.max_table_bytes;
  SwitchProvider(0);
  if (const auto contents = source_.Contents()) {
    base_ = cursor_ = limit_ = contents->data();
    contents_end_ = base_ + contents->size();
    source_ended_ = true;
    return;
  }
  // Room for a whole ordinary record at least, and for recovery to look ahead.
  window_bytes_ = std::max(options_.window_bytes, kMaxRecordWords * kWordBytes);
  if (options_.recover) window_bytes_ = std::max(window_bytes_, 2 * kRecoveryLookahead);
  window_bytes_ = WordsForBytes(window_bytes_) * kWordBytes;
  options_.max_record_bytes = std::max(options_.max_record_bytes, window_bytes_);
  window_ = std::make_unique_for_overwrite<uint64_t[]>(window_bytes_ / kWordBytes);
  base_ = cursor_ = limit_ = reinterpret_cast<const std::byte*>(window_.get());
}

ReadStatus Reader::Finish(ReadStatus status) {
  status_ = status;
  short_way_ = false;
  words_ = {};
  return status;
}

ReadStatus Reader::Fail(ReadError error) {
  error_ = error;
  offset_ = position();
  return Finish(ReadStatus::kError);
}

bool Reader::TakeWakeup() {
  constexpr size_t kWords = 5;
  constexpr uint64_t kRecord = static_cast<uint64_t>(RecordType::kScheduling) | kWords << 4 |
                               uint64_t{1} << 16 |
                               static_cast<uint64_t>(SchedulingType::kThreadWakeup) << 60;
  constexpr uint64_t kRecordMask = uint64_t{0xf} << 60 | 0xfffff;
  constexpr uint64_t kKoid = static_cast<uint64_t>(ArgumentType::kKoid) | 2 << 4;
  if (!short_way_ || available() < kWords * kWordBytes) return false;
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

ReadStatus Reader::NextOfAny() {
  if (TakeWakeup()) return ReadStatus::kRecord;
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
      Damaged();
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
      Fill(bytes + kRecoveryLookahead);  // as much as there is will do
    }
    offset_ = position();
    words_ = Aligned(cursor_, static_cast<size_t>(size), scratch_);
    const bool parsed = parser_.Parse(words_, offset_, *provider_, log_, record_);
    if (options_.recover && !Plausible(parsed, bytes)) {
      Damaged();
      continue;
    }
    if (options_.validate && parsed && !IsPlausible(bytes)) continue;
    cursor_ += bytes;
    if (!parsed) continue;
    Apply();
    short_way_ = !options_.recover && IsAligned(cursor_);
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
    Damaged();
    // The very first byte may start a record.
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
  // What is unread moves to the front.
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

// Called when the window is full of one record, so it grows only as that record really arrives.
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

// Fewer than `wanted` bytes could be had for the record at cursor_. Sets resyncing_ or skip_bytes_
// where reading goes on.
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
        Damaged();
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
      Damaged();
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

// False: status_ says why not yet, or that the input ended.
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

// Takes definitions into the tables and switches providers.
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
    SwitchProvider(info->id);
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

void Reader::SwitchProvider(uint32_t id) {
  const auto found = providers_.find(id);
  if (found != providers_.end()) {
    provider_ = found->second.get();
    return;
  }
  // The first provider always has a place.
  if (budget_.Take(kProviderBytes) || providers_.empty()) {
    provider_ = (providers_[id] = std::make_unique<ReaderProvider>(id, budget_)).get();
    return;
  }
  log_.Add({DiagnosticKind::kTableLimit, 0, offset_, id});
  overflow_budget_.used = 0;
  overflow_provider_ = std::make_unique<ReaderProvider>(id, overflow_budget_);
  provider_ = overflow_provider_.get();
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
      return "record of size 0" + at + ": nothing behind it can be found";
    case ReadError::kSource:
      return "cannot read on" + at + ": " + source_.ErrorText();
  }
  return {};
}

}  // namespace fxt
