// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/string_pool.h"

#include "fxt/utf8.h"

namespace fxt {

StringPool::StringPool(const StringPoolLimits& limits) : limits_(limits) {
  // The empty string, that of a default StringId.
  declared_.emplace_back();
  declared_texts_.emplace_back();
}

StringId StringPool::Declare(std::string_view text) {
  if (text.empty()) return {};
  const auto number = static_cast<uint32_t>(declared_.size());
  declared_.emplace_back();
  declared_texts_.emplace_back(CutUtf8(ToValidUtf8(text, scratch_), kMaxStringBytes));
  return StringId(number);
}

StringPool::Place StringPool::PlaceOf(std::string_view text) {
  if (text.empty()) return PlaceOf(StringId());
  if (const auto known = places_.find(text); known != places_.end()) return known->second;
  if (interned_.size() >= limits_.strings || bytes_ + text.size() > limits_.bytes) return kNowhere;
  const Place place = kInternedBit | static_cast<Place>(interned_.size());
  const auto added = places_.emplace(text, place).first;
  interned_.push_back({.source = &added->first, .index = {}});
  bytes_ += text.size();
  return place;
}

StringPool::Indexes& StringPool::IndexesOf(Place place) {
  return (place & kInternedBit) != 0 ? interned_[place & ~kInternedBit].index : declared_[place];
}

uint16_t StringPool::AddTo(unsigned table, Place place) {
  // The empty string has no index: it is reference 0.
  if (place == PlaceOf(StringId()) || tables_[table].size() >= kMaxStringIndex) return 0;
  tables_[table].push_back(place);
  return IndexesOf(place)[table] = static_cast<uint16_t>(tables_[table].size());
}

std::string_view StringPool::Text(Place place) {
  if ((place & kInternedBit) == 0) return declared_texts_[place];
  return CutUtf8(ToValidUtf8(*interned_[place & ~kInternedBit].source, scratch_), kMaxStringBytes);
}

void StringPool::EmptyTable(unsigned table) {
  for (const Place place : tables_[table]) IndexesOf(place)[table] = 0;
  tables_[table].clear();
}

void StringPool::Purge() {
  for (unsigned table = 0; table < kMaxTables; ++table) EmptyTable(table);
  places_.clear();
  interned_.clear();
  bytes_ = 0;
}

}  // namespace fxt
