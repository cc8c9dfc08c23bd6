// SPDX-License-Identifier: BSD-2-Clause
// The recovery half of Reader: what to validate of damaged input, and where the next record starts.
#include <algorithm>
#include <cstring>

#include "fxt/reader.h"
#include "fxt/reserved_bits.h"

namespace fxt {
namespace {

// Records that must follow one another for a candidate to be believed: on the word grid of the
// records before the damage, and off it (bytes were lost or inserted).
constexpr int kChainOnGrid = 3;
constexpr int kChainOffGrid = 5;

// What the header alone can tell.
bool PlausibleHeader(uint64_t header, uint64_t size) {
  const size_t minimum = MinimumRecordWords(header);
  if (minimum == 0 || size < minimum || (header & ReservedHeaderBits(header)) != 0) return false;
  const bool legacy_switch =
      (header & 0xf) == static_cast<uint64_t>(RecordType::kScheduling) && header >> 60 == 0;
  return !legacy_switch || (header >> 24 & 0xf) <= static_cast<uint64_t>(ThreadState::kDead);
}

// Headers that follow one another where only times are asked for, which are put to the vote.
constexpr int kChainOfHeaders = 6;
// A record larger than that may have a wrong size and take many others along.
constexpr uint64_t kLongWords = 256;

// The second word of these is a time.
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

void Reader::Damaged() {
  damage_offset_ = position();
  resyncing_ = true;
  ++cursor_;
}

// Whether the record in hand (of `bytes` bytes, at cursor_) can be what was written. Its size is
// the weak spot: a wrong one takes the records behind it along.
bool Reader::Plausible(bool parsed, uint64_t bytes) {
  const bool known = parsed && IsKnown(record_);
  if (known && parser_.trailing_words() == 0) return true;
  return HasPlausibleSize(bytes);
}

// Records are so short that a wrong size ends at the start of some record by chance: what is inside
// must not look like records either.
bool Reader::HasPlausibleSize(uint64_t bytes) {
  const uint64_t looked_at = std::min<uint64_t>(bytes, kMaxRecordWords * kWordBytes);
  for (uint64_t at = kWordBytes; at < looked_at; at += kWordBytes) {
    if (PlausibleChain(cursor_ + at, false)) return false;
  }
  return PlausibleChain(cursor_ + bytes, true);
}

bool Reader::IsPlausible(uint64_t bytes) {
  cursor_ += bytes;
  const Validity belief = options_.validate(*this);
  cursor_ -= bytes;
  if (belief == Validity::kOtherProvider) EnterUnknownProvider();
  if (belief != Validity::kNo) return true;
  if (HasPlausibleSize(bytes)) {
    cursor_ += bytes;
    log_.Add({DiagnosticKind::kBytesSkipped, 0, offset_, bytes});
    const bool section = std::holds_alternative<ProviderSection>(record_) ||
                         std::holds_alternative<ProviderInfo>(record_);
    if (section && SeveralProviders()) EnterUnknownProvider();
  } else {
    Damaged();
  }
  return false;
}

bool Reader::SeveralProviders() const {
  return std::count_if(providers_.begin(), providers_.end(),
                       [](const auto& provider) { return provider.second->announced(); }) > 1;
}

void Reader::EnterUnknownProvider() {
  uint32_t id = ~uint32_t{0};
  while (providers_.contains(id)) --id;
  unknown_budget_ = {};
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
  if (offset(at) >= barren_.from && offset(at) < barren_.to) {
    at += std::min<uint64_t>(barren_.to - offset(at), static_cast<uint64_t>(limit_ - at));
  } else {
    barren_.from = offset(at);
  }
  const auto is_chain = [&](const std::byte* p) {
    for (int found = 0; found < kChainOfHeaders; ++found) {
      const auto rest = static_cast<size_t>(limit_ - p);
      if (rest < kWordBytes) return false;
      uint64_t header;
      std::memcpy(&header, p, sizeof(header));
      const uint64_t size = header >> 4 & 0xfff;
      if (!PlausibleHeader(header, size) || size > rest / kWordBytes) return false;
      p += size * kWordBytes;
    }
    return true;
  };
  while (at != limit_ && !is_chain(at)) ++at;
  barren_.to = offset(at);
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
    if (!PlausibleHeader(words[0], size) || size > rest / kWordBytes) {
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

// True: cursor_ is at a record to be believed. False: status_ says that there is none, or not yet.
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
      if (!PlausibleChain(cursor_, (position() - damage_offset_) % kWordBytes == 0)) continue;
      resyncing_ = false;
      log_.Add({DiagnosticKind::kBytesSkipped, 0, damage_offset_, position() - damage_offset_});
      // One of these bytes may have been a section record.
      if (options_.validate && SeveralProviders()) EnterUnknownProvider();
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

// Whether records follow one another from `at` on. Headers first: they are cheap, and most
// candidates end there.
bool Reader::PlausibleChain(const std::byte* at, bool on_grid) {
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
    if (!PlausibleHeader(header, size)) return false;
    if (size > rest / kWordBytes) break;
    if (!on_grid && size > kMaxRecordWords) return false;
    sizes[found] = static_cast<size_t>(size);
    end += size * kWordBytes;
  }
  // Fewer will do where the input ends exactly behind them. (A size that reaches beyond the end is
  // rather a wrong size than a cut record.)
  const bool at_end = end == limit_ && exhausted();
  if (found < wanted && !(at_end && (on_grid || found >= wanted / 2))) return false;
  for (int i = 0; i < found; ++i) {
    if (!PlausibleRecord(at, sizes[i])) return false;
    at += sizes[i] * kWordBytes;
  }
  return true;
}

bool Reader::PlausibleRecord(const std::byte* at, size_t words) {
  const std::span<const uint64_t> record = Aligned(at, words, probe_scratch_);
  return probe_parser_.Parse(record, 0, *provider_, probe_log_, probe_record_) &&
         probe_parser_.trailing_words() == 0 && IsKnown(probe_record_);
}

}  // namespace fxt
