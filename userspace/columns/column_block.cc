// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

#include "util/content_hash.h"

namespace columns {
namespace {

using Kind = tables::Cell::Kind;

constexpr size_t kFirstSlots = 256;
constexpr unsigned kTextBit = 1U << static_cast<unsigned>(Kind::kText);

// The layout of the bytes: a bit for each row that is NULL (if some are), or a byte for the kind of
// each row (kMixed); then the values; then, if there are texts, their number, where each ends in
// the bytes behind, and these.

template <typename Number>
void PutAll(std::byte* to, std::span<const int64_t> values, uint64_t base) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto difference = static_cast<Number>(static_cast<uint64_t>(values[i]) - base);
    std::memcpy(to + i * sizeof(Number), &difference, sizeof(Number));
  }
}

template <typename Number>
void TakeAll(const std::byte* from, std::span<int64_t> values, uint64_t base) {
  for (size_t i = 0; i < values.size(); ++i) {
    Number difference = 0;
    std::memcpy(&difference, from + i * sizeof(Number), sizeof(Number));
    values[i] = static_cast<int64_t>(base + difference);
  }
}

uint8_t WidthOf(uint64_t range) {
  if (range == 0) return 0;
  if (range <= UINT8_MAX) return 1;
  if (range <= UINT16_MAX) return 2;
  return range <= UINT32_MAX ? 4 : 8;
}

std::byte* Extend(std::vector<std::byte>& bytes, size_t by) {
  bytes.resize(bytes.size() + by);
  return bytes.data() + bytes.size() - by;
}

// Fills values.texts from the bytes from `at` on.
bool TakeTexts(ColumnValues& values, size_t at) {
  const std::span<const std::byte> bytes(values.bytes);
  uint32_t count = 0;
  if (bytes.size() - at < sizeof(count)) return false;
  std::memcpy(&count, bytes.data() + at, sizeof(count));
  at += sizeof(count);
  if (count > values.rows || (bytes.size() - at) / sizeof(uint32_t) < count) return false;
  const size_t texts = at + count * sizeof(uint32_t);
  const size_t room = bytes.size() - texts;
  const char* const begin = reinterpret_cast<const char*>(bytes.data()) + texts;
  values.texts.resize(count);
  uint32_t from = 0;
  for (size_t i = 0; i < count; ++i, at += sizeof(uint32_t)) {
    uint32_t end = 0;
    std::memcpy(&end, bytes.data() + at, sizeof(end));
    if (end < from || end > room) return false;
    values.texts[i] = {begin + from, end - from};
    from = end;
  }
  return true;
}

}  // namespace

bool Decode(const BlockEntry& entry, size_t rows, ColumnValues& values) {
  values.rows = rows;
  values.kinds.clear();
  values.texts.clear();
  values.kind = Kind::kNull;
  if (entry.encoding == Encoding::kNull) return true;
  const size_t size = values.bytes.size();
  size_t at = 0;
  unsigned width = entry.width;
  uint64_t base = static_cast<uint64_t>(entry.low);
  bool has_texts = false;
  if (entry.encoding == Encoding::kValues) {
    values.kind = entry.kind;
    if (entry.kind != Kind::kInteger && entry.kind != Kind::kReal && entry.kind != Kind::kText) {
      return false;
    }
    has_texts = entry.kind == Kind::kText;
    if (entry.has_nulls != 0) {
      at = (rows + 7) / 8;
      if (at > size) return false;
      values.kinds.resize(rows);
      for (size_t i = 0; i < rows; ++i) {
        const bool is_null = (static_cast<unsigned>(values.bytes[i / 8]) >> i % 8 & 1) != 0;
        values.kinds[i] = static_cast<uint8_t>(is_null ? Kind::kNull : entry.kind);
      }
    }
  } else if (entry.encoding == Encoding::kMixed) {
    at = rows;
    if (at > size) return false;
    values.kinds.resize(rows);
    std::memcpy(values.kinds.data(), values.bytes.data(), rows);
    for (const uint8_t kind : values.kinds) {
      if (kind > static_cast<uint8_t>(Kind::kText)) return false;
      has_texts |= kind == static_cast<uint8_t>(Kind::kText);
    }
    width = 8;
    base = 0;
  } else {
    return false;
  }
  if (width > 8 || (width & (width - 1)) != 0 || size - at < rows * width) return false;
  values.values.resize(rows);
  const std::byte* const from = values.bytes.data() + at;
  switch (width) {
    case 0:
      std::fill(values.values.begin(), values.values.end(), static_cast<int64_t>(base));
      break;
    case 1:
      TakeAll<uint8_t>(from, values.values, base);
      break;
    case 2:
      TakeAll<uint16_t>(from, values.values, base);
      break;
    case 4:
      TakeAll<uint32_t>(from, values.values, base);
      break;
    default:
      TakeAll<uint64_t>(from, values.values, base);
  }
  if (!has_texts) return true;
  if (!TakeTexts(values, at + rows * width)) return false;
  for (size_t i = 0; i < rows; ++i) {
    if (values.KindOf(i) == Kind::kText &&
        static_cast<uint64_t>(values.values[i]) >= values.texts.size()) {
      return false;
    }
  }
  return true;
}

namespace {

template <typename Number>
bool SpreadBy(const std::byte* from, size_t rows, ColumnValues& values) {
  const size_t few = values.few_values.size();
  const bool has_kinds = !values.few_kinds.empty();
  for (size_t i = 0; i < rows; ++i) {
    Number number = 0;
    std::memcpy(&number, from + i * sizeof(Number), sizeof(Number));
    if (number >= few) return false;
    values.values[i] = values.few_values[number];
    if (has_kinds) values.kinds[i] = values.few_kinds[number];
  }
  return true;
}

}  // namespace

bool Spread(const BlockEntry& numbers, std::span<const std::byte> bytes, size_t rows,
            ColumnValues& values) {
  if (numbers.encoding != Encoding::kValues || numbers.kind != Kind::kInteger ||
      numbers.has_nulls != 0 || numbers.low != 0 || numbers.width > 2 ||
      bytes.size() != rows * numbers.width) {
    return false;
  }
  values.rows = rows;
  if (values.kind == Kind::kNull && values.kinds.empty()) return true;
  values.few_values.swap(values.values);
  values.few_kinds.swap(values.kinds);
  values.values.resize(rows);
  values.kinds.resize(values.few_kinds.empty() ? 0 : rows);
  if (numbers.width == 2) return SpreadBy<uint16_t>(bytes.data(), rows, values);
  if (numbers.width == 1) return SpreadBy<uint8_t>(bytes.data(), rows, values);
  if (values.few_values.empty()) return false;
  std::fill(values.values.begin(), values.values.end(), values.few_values[0]);
  if (!values.kinds.empty()) {
    std::fill(values.kinds.begin(), values.kinds.end(), values.few_kinds[0]);
  }
  return true;
}

std::string_view BlockBuilder::TextOf(uint32_t number) const {
  const uint32_t from = number == 0 ? 0 : ends_[number - 1];
  return {text_.data() + from, ends_[number] - from};
}

BlockBuilder::Slot& BlockBuilder::Find(uint64_t key, std::string_view text) {
  const size_t last = slots_.size() - 1;
  // The upper bits of the product depend on all of the key.
  size_t at = key * 0x9e3779b97f4a7c15 >> (64 - std::countr_zero(slots_.size()));
  while (slots_[at].number != 0) {
    const Slot& slot = slots_[at];
    if (slot.key == key && (has_stable_texts_ || TextOf(slot.number - 1) == text)) break;
    at = (at + 1) & last;
  }
  return slots_[at];
}

void BlockBuilder::Grow() {
  std::vector<Slot> old(std::max(kFirstSlots, 2 * slots_.size()));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number != 0) Find(slot.key, TextOf(slot.number - 1)) = slot;
  }
}

uint32_t BlockBuilder::NumberOf(std::string_view text) {
  if (has_stable_texts_ && text.data() == last_place_) return last_number_;
  if (2 * ends_.size() >= slots_.size()) Grow();
  const uint64_t key = has_stable_texts_ ? reinterpret_cast<uintptr_t>(text.data())
                                         : std::hash<std::string_view>()(text);
  Slot& slot = Find(key, text);
  if (slot.number == 0) {
    text_.insert(text_.end(), text.begin(), text.end());
    ends_.push_back(static_cast<uint32_t>(text_.size()));
    slot = {.key = key, .number = static_cast<uint32_t>(ends_.size())};
  }
  last_place_ = text.data();
  last_number_ = slot.number - 1;
  return last_number_;
}

size_t BlockBuilder::MakeRoom(size_t count) {
  const size_t before = rows_;
  rows_ += count;
  if (rows_ > kinds_.size()) {
    kinds_.resize(2 * rows_);
    values_.resize(2 * rows_);
  }
  return before;
}

int64_t* BlockBuilder::AddIntegers(size_t count) {
  const size_t before = MakeRoom(count);
  std::fill_n(kinds_.begin() + static_cast<ptrdiff_t>(before), count,
              static_cast<uint8_t>(Kind::kInteger));
  seen_kinds_ |= 1U << static_cast<unsigned>(Kind::kInteger);
  return values_.data() + before;
}

void BlockBuilder::Add(const tables::Cell* cells, size_t stride, size_t count) {
  const size_t before = MakeRoom(count);
  uint8_t* kinds = kinds_.data() + before;
  int64_t* values = values_.data() + before;
  unsigned seen = 0;
  for (size_t i = 0; i < count; ++i) {
    const tables::Cell& cell = cells[i * stride];
    kinds[i] = static_cast<uint8_t>(cell.kind);
    seen |= 1U << kinds[i];
    values[i] = cell.integer;
  }
  seen_kinds_ |= seen;
  if ((seen & kTextBit) == 0) return;
  for (size_t i = 0; i < count; ++i) {
    const tables::Cell& cell = cells[i * stride];
    if (cell.kind == Kind::kText) values[i] = NumberOf(cell.view());
  }
}

BlockEntry BlockBuilder::Finish(std::vector<std::byte>& to, uint64_t offset) {
  constexpr unsigned kNullBit = 1U << static_cast<unsigned>(Kind::kNull);
  const size_t count = rows();
  const size_t begin = to.size();
  const std::span<int64_t> numbers = std::span(values_).first(count);
  const unsigned others = seen_kinds_ & ~kNullBit;
  BlockEntry entry;
  entry.offset = offset;
  if (others == 0) {
    entry.encoding = Encoding::kNull;
  } else if (std::has_single_bit(others)) {
    entry.encoding = Encoding::kValues;
    entry.kind = static_cast<Kind>(std::countr_zero(others));
    entry.low = INT64_MAX;
    entry.high = INT64_MIN;
    if ((seen_kinds_ & kNullBit) == 0) {
      for (const int64_t value : numbers) {
        entry.low = std::min(entry.low, value);
        entry.high = std::max(entry.high, value);
      }
    } else {
      entry.has_nulls = 1;
      std::byte* const nulls = Extend(to, (count + 7) / 8);
      std::fill_n(nulls, (count + 7) / 8, std::byte{0});
      for (size_t i = 0; i < count; ++i) {
        if (kinds_[i] == 0) {
          nulls[i / 8] |= static_cast<std::byte>(1U << i % 8);
          continue;
        }
        entry.low = std::min(entry.low, values_[i]);
        entry.high = std::max(entry.high, values_[i]);
      }
      for (size_t i = 0; i < count; ++i) {
        if (kinds_[i] == 0) values_[i] = entry.low;
      }
    }
    const auto base = static_cast<uint64_t>(entry.low);
    entry.width = WidthOf(static_cast<uint64_t>(entry.high) - base);
    std::byte* const place = Extend(to, count * entry.width);
    switch (entry.width) {
      case 0:
        break;
      case 1:
        PutAll<uint8_t>(place, numbers, base);
        break;
      case 2:
        PutAll<uint16_t>(place, numbers, base);
        break;
      case 4:
        PutAll<uint32_t>(place, numbers, base);
        break;
      default:
        PutAll<uint64_t>(place, numbers, base);
    }
  } else {
    entry.encoding = Encoding::kMixed;
    std::memcpy(Extend(to, count), kinds_.data(), count);
    PutAll<uint64_t>(Extend(to, count * sizeof(uint64_t)), numbers, 0);
  }
  if ((others & kTextBit) != 0) {
    const auto texts = static_cast<uint32_t>(ends_.size());
    std::memcpy(Extend(to, sizeof(texts)), &texts, sizeof(texts));
    std::memcpy(Extend(to, texts * sizeof(uint32_t)), ends_.data(), texts * sizeof(uint32_t));
    if (!text_.empty()) std::memcpy(Extend(to, text_.size()), text_.data(), text_.size());
  }
  entry.bytes = static_cast<uint32_t>(to.size() - begin);
  entry.hash = util::ContentHash::Of(std::span(to).subspan(begin));
  rows_ = 0;
  seen_kinds_ = 0;
  ends_.clear();
  text_.clear();
  std::fill(slots_.begin(), slots_.end(), Slot{});
  last_place_ = nullptr;
  return entry;
}

}  // namespace columns
