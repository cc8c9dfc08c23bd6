// SPDX-License-Identifier: BSD-2-Clause
#include "query/row_groups.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tables/rows/schema.h"

namespace query {
namespace {

using tables::Cell;

constexpr uint32_t kFree = UINT32_MAX;
constexpr size_t kSlots = 4 * RowGroups::kMaxGroups;
// A mask of NULL cells, and at most 12 bytes for each cell.
constexpr size_t kMostBytes = 8 + 12 * tables::kMaxColumns;
static_assert(kMostBytes <= ChunkStore::kChunkBytes);

// Bits that differ where values do.
uint64_t BitsOf(const Cell& cell) {
  if (cell.is_null()) return 0x5bd1e995;
  return static_cast<uint64_t>(cell.integer);
}

bool Same(const Cell& a, const Cell& b) {
  if (a.kind != b.kind) return false;
  return a.is_null() || a.integer == b.integer;
}

// NULL first, then numbers, then texts, as SQLite has them.
int Compare(const Cell& a, const Cell& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.is_null()) return 0;
  if (a.kind == Cell::Kind::kText) return a.view().compare(b.view());
  return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
}

std::byte* PutVarint(std::byte* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::byte>(value);
  return at;
}

const std::byte* TakeVarint(const std::byte* at, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<uint64_t>(*at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at;
  }
}

// Only what has been written so is ever read.
size_t Encode(const Cell* row, std::span<const uint8_t> columns, std::byte* to) {
  uint64_t nulls = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    // Two bits: NULL, text.
    if (row[columns[i]].is_null()) nulls |= uint64_t{1} << 2 * i;
    if (row[columns[i]].kind == Cell::Kind::kText) nulls |= uint64_t{2} << 2 * i;
  }
  std::byte* at = PutVarint(to, nulls);
  for (const uint8_t column : columns) {
    const Cell& cell = row[column];
    if (cell.is_null()) continue;
    if (cell.kind == Cell::Kind::kText) {
      std::memcpy(at, &cell.text, sizeof(cell.text));
      std::memcpy(at + sizeof(cell.text), &cell.bytes, sizeof(cell.bytes));
      at += sizeof(cell.text) + sizeof(cell.bytes);
    } else {
      const auto value = static_cast<uint64_t>(cell.integer);
      at = PutVarint(at, value << 1 ^ static_cast<uint64_t>(cell.integer >> 63));
    }
  }
  return static_cast<size_t>(at - to);
}

size_t Decode(const std::byte* from, std::span<const uint8_t> columns, Cell* row) {
  uint64_t nulls = 0;
  const std::byte* at = TakeVarint(from, nulls);
  for (size_t i = 0; i < columns.size(); ++i) {
    Cell& cell = row[columns[i]];
    if ((nulls >> 2 * i & 1) != 0) {
      cell.SetNull();
    } else if ((nulls >> 2 * i & 2) != 0) {
      cell.kind = Cell::Kind::kText;
      std::memcpy(&cell.text, at, sizeof(cell.text));
      std::memcpy(&cell.bytes, at + sizeof(cell.text), sizeof(cell.bytes));
      at += sizeof(cell.text) + sizeof(cell.bytes);
    } else {
      uint64_t value = 0;
      at = TakeVarint(at, value);
      cell.Set(static_cast<int64_t>(value >> 1 ^ -(value & 1)));
    }
  }
  return static_cast<size_t>(at - from);
}

}  // namespace

RowGroups::RowGroups(size_t width, std::vector<uint8_t> keys)
    : key_columns_(std::move(keys)), slots_(kSlots, kFree), row_(width) {
  for (uint8_t column = 0; column < width; ++column) {
    all_columns_.push_back(column);
    if (std::find(key_columns_.begin(), key_columns_.end(), column) == key_columns_.end()) {
      other_columns_.push_back(column);
    }
  }
}

uint32_t RowGroups::GroupOf(const Cell* row) {
  const size_t keys = key_columns_.size();
  const auto is_of = [&](uint32_t group) {
    const Cell* key = keys_.data() + group * keys;
    for (size_t i = 0; i < keys; ++i) {
      if (!Same(key[i], row[key_columns_[i]])) return false;
    }
    return true;
  };
  uint64_t hash = 0;
  for (const uint8_t column : key_columns_) {
    hash = (hash ^ BitsOf(row[column])) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  size_t at = hash % kSlots;
  while (slots_[at] != kFree) {
    if (is_of(slots_[at])) return slots_[at];
    at = (at + 1) % kSlots;
  }
  if (groups_.size() == kMaxGroups) return kFree;
  slots_[at] = static_cast<uint32_t>(groups_.size());
  groups_.emplace_back();
  for (const uint8_t column : key_columns_) keys_.push_back(row[column]);
  return slots_[at];
}

util::Status RowGroups::Add(const Cell* row) {
  std::array<std::byte, kMostBytes> bytes;
  const uint32_t number = GroupOf(row);
  if (number == kFree) [[unlikely]] {
    return store_.Append(overflow_,
                         std::span(bytes).first(Encode(row, all_columns_, bytes.data())));
  }
  Group& group = groups_[number];
  ++group.rows;
  if (other_columns_.empty()) return util::Ok();
  return store_.Append(group.list,
                       std::span(bytes).first(Encode(row, other_columns_, bytes.data())));
}

void RowGroups::Seal() {
  order_.resize(groups_.size());
  for (uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
  const size_t keys = key_columns_.size();
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    for (size_t i = 0; i < keys; ++i) {
      const int order = Compare(keys_[a * keys + i], keys_[b * keys + i]);
      if (order != 0) return order < 0;
    }
    return false;
  });
  at_ = 0;
  left_ = 0;
}

// Rows without room for their group are processed in another round.
util::Status RowGroups::NextRound() {
  ChunkStore::Reader rows(store_, std::exchange(overflow_, {}));
  groups_.clear();
  keys_.clear();
  std::fill(slots_.begin(), slots_.end(), kFree);
  for (;;) {
    auto rest = rows.Rest();
    if (!rest) return rest.TakeError();
    if (rest->empty()) break;
    rows.Skip(Decode(rest->data(), all_columns_, row_.data()));
    if (auto status = Add(row_.data()); !status) return status;
  }
  Seal();
  return util::Ok();
}

util::Result<const Cell*> RowGroups::Next() {
  while (left_ == 0) {
    // Gives back the memory of the group before.
    if (auto rest = reader_.Rest(); !rest) return rest.TakeError();
    if (at_ == order_.size()) {
      if (overflow_.first == ChunkStore::List{}.first) return static_cast<const Cell*>(nullptr);
      if (auto status = NextRound(); !status) return status.TakeError();
    }
    const size_t keys = key_columns_.size();
    const Group& group = groups_[order_[at_]];
    for (size_t i = 0; i < keys; ++i) row_[key_columns_[i]] = keys_[order_[at_] * keys + i];
    reader_ = ChunkStore::Reader(store_, group.list);
    left_ = group.rows;
    ++at_;
  }
  --left_;
  if (!other_columns_.empty()) {
    auto rest = reader_.Rest();
    if (!rest) return rest.TakeError();
    reader_.Skip(Decode(rest->data(), other_columns_, row_.data()));
  }
  return static_cast<const Cell*>(row_.data());
}

}  // namespace query
