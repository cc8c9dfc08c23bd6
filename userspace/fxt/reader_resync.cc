// SPDX-License-Identifier: BSD-2-Clause
// The recovery half of Reader: what to believe of damaged input, and where the next record starts.
#include <algorithm>
#include <cstring>

#include "fxt/reader.h"
#include "fxt/reserved_bits.h"

namespace fxt {
namespace {

// Records that must follow one another for a candidate to be believed: on the word grid of the
// records before the damage, and off it (bytes were lost or inserted).
constexpr int kChainOnGrid = 2;
constexpr int kChainOffGrid = 4;

// What the header alone can tell.
bool PlausibleHeader(uint64_t header, uint64_t size) {
  const size_t minimum = MinimumRecordWords(header);
  if (minimum == 0 || size < minimum || (header & ReservedHeaderBits(header)) != 0) return false;
  const bool legacy_switch =
      (header & 0xf) == static_cast<uint64_t>(RecordType::kScheduling) && header >> 60 == 0;
  return !legacy_switch || (header >> 24 & 0xf) <= static_cast<uint64_t>(ThreadState::kDead);
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
bool Reader::Believable(bool parsed, uint64_t bytes) {
  const bool known = parsed && IsKnown(record_);
  if (known && parser_.trailing_words() == 0) return true;
  // Records are so short that a wrong size ends at the start of some record by chance: what is
  // inside must not look like records either.
  const uint64_t looked_at = std::min<uint64_t>(bytes, kMaxRecordWords * kWordBytes);
  for (uint64_t at = kWordBytes; at < looked_at; at += kWordBytes) {
    if (PlausibleChain(cursor_ + at, false)) return false;
  }
  return PlausibleChain(cursor_ + bytes, true);
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
