// SPDX-License-Identifier: BSD-2-Clause
// Assigns numbers to repeated strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace importer {

// A string gets a number at its second occurrence, unless the table is full. Strings that occur
// once (an address, a text with a time) are not stored. Memory is bounded.
class StringTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // An FXT provider has 32767 indexes. The others are left for other names.
  static constexpr size_t kMaxStrings = 30'000;
  static constexpr size_t kMaxBytes = size_t{3} << 20;
  static constexpr size_t kMaxStringBytes = 4096;

  StringTable();

  // The number of `text`, or kNone.
  uint32_t NumberOf(std::string_view text);
  std::string_view TextOf(uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = kNone;
  };

  // Length, begin and end of a string. Identifies most strings, and short ones exactly.
  struct Ends {
    uint64_t first = 0;
    uint64_t last = 0;
    size_t size = 0;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  static constexpr size_t kEndsAreAll = 16;  // bytes
  // A cache of recent lookups.
  struct Recent {
    Ends ends;
    uint32_t number = kNone;
  };
  static constexpr unsigned kRecentBits = 10;

  static Ends EndsOf(std::string_view text);
  uint32_t Find(std::string_view text);

  std::deque<std::string> kept_;
  std::vector<std::string_view> texts_;  // of kept_, by number
  std::vector<Slot> slots_;              // a power of two, at most half full
  std::vector<Recent> recent_;           // by bits of a hash of the ends
  std::vector<uint32_t>
      seen_;  // hashes of seen strings, by some of their bits; later ones replace earlier ones
  size_t bytes_ = 0;
};

}  // namespace importer
