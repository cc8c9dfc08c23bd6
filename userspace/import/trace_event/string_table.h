// SPDX-License-Identifier: BSD-2-Clause
// Strings that come again and again, under small numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace importer {

// A string gets a number when it comes for the second time, so that what is there once (an address,
// a text with a time in it) takes no room; and as long as there is room. Memory is bounded.
class StringTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // An FXT provider has 32767 indexes; some are left for other names.
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

  // What tells most strings apart, and short ones for sure.
  struct Ends {
    uint64_t first = 0;
    uint64_t last = 0;
    size_t size = 0;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  static constexpr size_t kEndsAreAll = 16;  // bytes
  // A string that was found lately.
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
  std::vector<Recent> recent_;           // by a part of a hash of the ends
  std::vector<uint32_t> seen_;  // hashes of what came, by a part of them; later ones replace
  size_t bytes_ = 0;
};

}  // namespace importer
