// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/string_table.h"

#include <cstring>
#include <functional>

namespace importer {
namespace {

constexpr size_t kSlots = size_t{1} << 16;
static_assert(kSlots >= 2 * StringTable::kMaxStrings);
constexpr size_t kSeen = size_t{1} << 16;

// Good enough to tell the strings apart that a file has most of: both ends and the length.
size_t QuickHash(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  const auto take = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, text.data() + at, bytes);
    return value;
  };
  uint64_t first = 0;
  uint64_t last = text.size();
  if (text.size() >= 8) {
    first = take(0, 8);
    last ^= take(text.size() - 8, 8);
  } else if (text.size() >= 4) {
    first = take(0, 4) | take(text.size() - 4, 4) << 32;
  } else if (!text.empty()) {
    first = take(0, 1) | take(text.size() / 2, 1) << 8 | take(text.size() - 1, 1) << 16;
  }
  return (first * kFactor ^ (last * kFactor) >> 17) >> (64 - StringTable::kRecentBits);
}

}  // namespace

StringTable::StringTable() : slots_(kSlots), seen_(kSeen) { recent_.fill(kNone); }

uint32_t StringTable::NumberOf(std::string_view text) {
  uint32_t& recent = recent_[QuickHash(text)];
  if (recent != kNone && TextOf(recent) == text) return recent;
  const uint32_t number = Find(text);
  if (number != kNone) recent = number;
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
  // 0 is nothing seen.
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
