// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/string_table.h"

#include <cstring>
#include <functional>

namespace importer {
namespace {

constexpr size_t kSlots = size_t{1} << 16;
static_assert(kSlots >= 2 * StringTable::kMaxStrings);
constexpr size_t kSeen = size_t{1} << 16;

}  // namespace

StringTable::StringTable() : slots_(kSlots), recent_(size_t{1} << kRecentBits), seen_(kSeen) {}

StringTable::Ends StringTable::EndsOf(std::string_view text) {
  const auto take = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, text.data() + at, bytes);
    return value;
  };
  Ends ends;
  ends.size = text.size();
  if (text.size() >= 8) {
    ends.first = take(0, 8);
    ends.last = take(text.size() - 8, 8);
  } else if (text.size() >= 4) {
    ends.first = take(0, 4) | take(text.size() - 4, 4) << 32;
  } else if (!text.empty()) {
    ends.first = take(0, 1) | take(text.size() / 2, 1) << 8 | take(text.size() - 1, 1) << 16;
  }
  return ends;
}

uint32_t StringTable::NumberOf(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  const Ends ends = EndsOf(text);
  const uint64_t mixed = ends.first * kFactor ^ ((ends.last ^ ends.size) * kFactor) >> 17;
  Recent& recent = recent_[mixed >> (64 - kRecentBits)];
  if (recent.number != kNone && recent.ends == ends &&
      (text.size() <= kEndsAreAll || TextOf(recent.number) == text)) {
    return recent.number;
  }
  const uint32_t number = Find(text);
  if (number != kNone) recent = {ends, number};
  return number;
}

uint32_t StringTable::Find(std::string_view text) {
  if (text.size() > kMaxStringBytes) return kNone;
  const uint64_t hash = std::hash<std::string_view>{}(text);
  size_t at = hash & (kSlots - 1);
  for (; slots_[at].number != kNone; at = (at + 1) & (kSlots - 1)) {
    if (slots_[at].hash == hash && TextOf(slots_[at].number) == text) return slots_[at].number;
  }
  uint32_t& seen = seen_[hash >> 16 & (kSeen - 1)];
  // 0 marks a free slot.
  const uint32_t mark = static_cast<uint32_t>(hash >> 32) | 1;
  if (seen != mark) {
    seen = mark;
    return kNone;
  }
  if (texts_.size() == kMaxStrings || text.size() > kMaxBytes - bytes_) return kNone;
  bytes_ += text.size();
  slots_[at] = {hash, static_cast<uint32_t>(texts_.size())};
  texts_.push_back(kept_.emplace_back(text));
  return slots_[at].number;
}

}  // namespace importer
