// SPDX-License-Identifier: BSD-2-Clause
#include "query/kept_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>

namespace query {
namespace {

using tables::Cell;

// A row has its id, and for each cell a byte for its kind and the value. These bytes are never read
// from a file.
constexpr uint8_t kPointer = 0x10;  // a text that outlives the rows

template <typename Value>
std::byte* Put(std::byte* at, const Value& value) {
  std::memcpy(at, &value, sizeof(value));
  return at + sizeof(value);
}

template <typename Value>
const std::byte* Take(const std::byte* at, Value& value) {
  std::memcpy(&value, at, sizeof(value));
  return at + sizeof(value);
}

int64_t HashOf(std::string_view text) {
  return static_cast<int64_t>(std::hash<std::string_view>()(text));
}

}  // namespace

KeptRows::KeptRows(tables::Table table, uint64_t columns, std::optional<uint8_t> key,
                   uint64_t staying, KeptBudget& budget)
    : shape_(table, columns | (key ? uint64_t{1} << *key : 0), {}, texts_), budget_(budget) {
  if (key) key_slot_ = shape_.SlotOf(*key);
  for (const uint8_t column : shape_.columns()) {
    if (InfoOf(table).columns[column].role != tables::Column::Role::kTime) continue;
    time_slot_ = shape_.SlotOf(column);
  }
  for (size_t slot = 0; slot < width(); ++slot) {
    if ((staying >> shape_.columns()[slot] & 1) != 0) staying_slots_ |= uint64_t{1} << slot;
  }
}

bool KeptRows::Take(size_t bytes) {
  if (bytes > budget_.free) return false;
  budget_.free -= bytes;
  taken_ += bytes;
  return true;
}

std::byte* KeptRows::Place(size_t bytes) {
  if (blocks_.empty() || bytes > block_size_ - block_used_) {
    const size_t size = std::max(bytes, kBlockBytes);
    if (!Take(size)) return nullptr;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    block_size_ = size;
    block_used_ = 0;
  }
  std::byte* const at = blocks_.back().get() + block_used_;
  block_used_ += bytes;
  return at;
}

bool KeptRows::Add(const Cell* row, int64_t id) {
  size_t bytes = sizeof(id) + width();
  for (size_t slot = 0; slot < width(); ++slot) {
    const bool is_text = row[slot].kind == Cell::Kind::kText;
    bytes += row[slot].is_null() ? 0 : sizeof(int64_t);
    if (is_text)
      bytes += sizeof(uint32_t) + ((staying_slots_ >> slot & 1) != 0 ? 0 : row[slot].bytes);
  }
  // A growing vector may take twice its size.
  if (starts_.size() >= UINT32_MAX || !Take(2 * kRowBytes)) return false;
  std::byte* at = Place(bytes);
  if (at == nullptr) return false;
  if (key_slot_ && !row[*key_slot_].is_null()) {
    const Cell& key = row[*key_slot_];
    const bool has_time = time_slot_ && !row[*time_slot_].is_null();
    index_.push_back({.key = key.kind == Cell::Kind::kText ? HashOf(key.view()) : key.integer,
                      .time = has_time ? row[*time_slot_].integer : INT64_MIN,
                      .row = static_cast<uint32_t>(starts_.size())});
  }
  starts_.push_back(at);
  at = Put(at, id);
  for (size_t slot = 0; slot < width(); ++slot) {
    const Cell& cell = row[slot];
    const bool stays = (staying_slots_ >> slot & 1) != 0;
    at = Put(at, static_cast<uint8_t>(static_cast<uint8_t>(cell.kind) | (stays ? kPointer : 0)));
    if (cell.is_null()) continue;
    if (cell.kind != Cell::Kind::kText) {
      at = Put(at, cell.integer);
      continue;
    }
    at = Put(at, cell.bytes);
    if (stays) {
      at = Put(at, cell.text);
    } else {
      std::memcpy(at, cell.text, cell.bytes);
      at += cell.bytes;
    }
  }
  return true;
}

void KeptRows::Seal() { std::sort(index_.begin(), index_.end()); }

KeptRows::Range KeptRows::Within(const Entry& from, const Entry& to) const {
  const auto low = std::lower_bound(index_.begin(), index_.end(), from);
  const auto high = std::upper_bound(low, index_.end(), to);
  return {static_cast<size_t>(low - index_.begin()), static_cast<size_t>(high - index_.begin())};
}

KeptRows::Range KeptRows::Between(int64_t from, int64_t to) const {
  if (from > to) return {};
  return Within({.key = from, .time = INT64_MIN, .row = 0},
                {.key = to, .time = INT64_MAX, .row = UINT32_MAX});
}

KeptRows::Range KeptRows::Equal(const Cell& value, int64_t from, int64_t to) const {
  if (!time_slot_) {
    from = INT64_MIN;
    to = INT64_MAX;
  }
  if (from > to) return {};
  const auto of_key = [&](int64_t key) {
    return Within({.key = key, .time = from, .row = 0},
                  {.key = key, .time = to, .row = UINT32_MAX});
  };
  switch (value.kind) {
    case Cell::Kind::kNull:
      return {};
    case Cell::Kind::kText:
      return of_key(HashOf(value.view()));
    case Cell::Kind::kInteger:
      return of_key(value.integer);
    case Cell::Kind::kReal:
      break;
  }
  // Only whole numbers can be equal; reals beyond 2^53 are near several.
  constexpr double kExact = 9007199254740992.0;
  if (std::abs(value.real) <= kExact) {
    if (std::floor(value.real) != value.real) return {};
    return of_key(static_cast<int64_t>(value.real));
  }
  return value.real > 0 ? Between(int64_t{1} << 53, INT64_MAX)
                        : Between(INT64_MIN, -(int64_t{1} << 53));
}

int64_t KeptRows::Read(Order order, size_t entry, Cell* row) const {
  const std::byte* at = starts_[order == Order::kKey ? index_[entry].row : entry];
  int64_t id = 0;
  at = query::Take(at, id);
  for (size_t slot = 0; slot < width(); ++slot) {
    Cell& cell = row[slot];
    uint8_t head = 0;
    at = query::Take(at, head);
    cell.kind = static_cast<Cell::Kind>(head & ~kPointer);
    if (cell.is_null()) continue;
    if (cell.kind != Cell::Kind::kText) {
      at = query::Take(at, cell.integer);
      continue;
    }
    at = query::Take(at, cell.bytes);
    if ((head & kPointer) != 0) {
      at = query::Take(at, cell.text);
    } else {
      cell.text = reinterpret_cast<const char*>(at);
      at += cell.bytes;
    }
  }
  return id;
}

}  // namespace query
