// SPDX-License-Identifier: BSD-2-Clause
// Keeps the strings of a provider, and the index of each in its string tables ("String references"
// of the format document).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/format.h"
#include "fxt/text_map.h"

namespace fxt {

// A declared string. Default: the empty string.
class StringId {
 public:
  constexpr StringId() = default;

 private:
  friend class StringPool;
  constexpr explicit StringId(uint32_t number) : number_(number) {}
  uint32_t number_ = 0;
};

struct StringPoolLimits {
  // Limits for strings that are not declared: their number, and their bytes together.
  uint32_t strings = kMaxStringIndex;
  size_t bytes = size_t{4} * 1024 * 1024;
};

// Stores each text once, and for each string table which text has which index. An index of a table
// stays with its text. Declared strings stay for good; others stay, within the limits, until
// Purge(). The owner writes the records.
class StringPool {
 public:
  static constexpr unsigned kMaxTables = 16;

  // A string of the pool, until Purge().
  using Place = uint32_t;
  static constexpr Place kNowhere = 0xffffffff;

  explicit StringPool(const StringPoolLimits& limits = {});

  // Makes `text` valid UTF-8 and cuts it to kMaxStringBytes.
  StringId Declare(std::string_view text);

  static Place PlaceOf(StringId id) { return id.number_; }
  // Adds `text` if it is new. kNowhere if the limits are reached. Finding a known text allocates
  // nothing.
  Place PlaceOf(std::string_view text);

  // The index in `table`, 0 if it has none there.
  uint16_t Index(StringId id, unsigned table) const { return declared_[id.number_][table]; }
  uint16_t Index(Place place, unsigned table) const {
    return (place & kInternedBit) != 0 ? interned_[place & ~kInternedBit].index[table]
                                       : declared_[place][table];
  }

  // Gives the string at `place` the next index in `table`; 0 when the table is full.
  uint16_t AddTo(unsigned table, Place place);

  // Valid UTF-8 of at most kMaxStringBytes. A declared string lives as long as the pool, others
  // until the next call.
  std::string_view Text(Place place);

  // Clears `table`.
  void EmptyTable(unsigned table);
  // Clears every table, and removes every string that was not declared.
  void Purge();

  // Number of strings that are not declared.
  size_t interned() const { return interned_.size(); }

 private:
  static constexpr Place kInternedBit = 0x80000000;

  using Indexes = std::array<uint16_t, kMaxTables>;
  struct Interned {
    const std::string* source =
        nullptr;  // as passed by the caller, not checked; the key in places_
    Indexes index{};
  };
  Indexes& IndexesOf(Place place);

  const StringPoolLimits limits_;
  std::vector<Indexes> declared_;
  std::deque<std::string> declared_texts_;
  std::vector<Interned> interned_;
  TextMap<Place> places_;
  // Place by index - 1.
  std::array<std::vector<Place>, kMaxTables> tables_;
  size_t bytes_ = 0;
  std::string scratch_;
};

}  // namespace fxt
