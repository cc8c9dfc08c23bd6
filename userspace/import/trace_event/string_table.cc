// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/string_table.h"

#include <functional>

namespace importer {
namespace {

constexpr size_t kSlots = size_t{1} << 16;
static_assert(kSlots >= 2 * StringTable::kMaxStrings);
constexpr size_t kSeen = size_t{1} << 16;

}  // namespace

StringTable::StringTable() : slots_(kSlots), seen_(kSeen) {}

uint32_t StringTable::NumberOf(std::string_view text) {
  if (text.size() > kMaxStringBytes) return kNone;
  const uint64_t hash = std::hash<std::string_view>{}(text);
  size_t at = hash & (kSlots - 1);
  for (; slots_[at].number != kNone; at = (at + 1) & (kSlots - 1)) {
    if (slots_[at].hash == hash && texts_[slots_[at].number] == text) return slots_[at].number;
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
  texts_.emplace_back(text);
  return slots_[at].number;
}

}  // namespace importer
