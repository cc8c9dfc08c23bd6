// SPDX-License-Identifier: BSD-2-Clause
// Keeps the state of one provider ("Provider section metadata" of the format document): its name,
// tick rate, string table and thread table.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/format.h"

namespace fxt {

// What all tables of one reader may take, in bytes. A damaged file can define 32767 strings of
// 32 KB for each of 2^32 providers.
struct TableBudget {
  size_t limit = 0;
  size_t used = 0;
  uint64_t definitions = 0;  // of all providers

  bool Take(size_t bytes) {
    if (bytes > limit - used) return false;
    used += bytes;
    return true;
  }
};

class ReaderProvider {
 public:
  ReaderProvider(uint32_t id, TableBudget& budget)
      : id_(id), definitions_(++budget.definitions), budget_(&budget) {}

  uint32_t id() const { return id_; }
  // Empty for the provider of records that stand before the first provider info or section.
  std::string_view name() const { return name_; }
  // A provider info record was seen.
  bool announced() const { return announced_; }
  // 1,000,000,000 until an initialization record says otherwise.
  uint64_t ticks_per_second() const { return ticks_per_second_; }
  bool initialized() const { return initialized_; }

  // Nanoseconds, rounded down; the largest uint64_t where they do not fit.
  uint64_t ToNanoseconds(Ticks ticks) const {
    return ticks_per_second_ == kNanosecondsPerSecond ? ticks : Convert(ticks);
  }

  // Null when `index` (1..0x7fff) is not defined.
  const std::string* FindString(uint16_t index) const {
    if (index >= strings_.size() || !strings_[index].defined) return nullptr;
    return &strings_[index].text;
  }

  struct ThreadIds {
    Koid process = 0;
    Koid thread = 0;
  };
  // Koids 0 and 0 when `index` (1..255) is not defined.
  const ThreadIds& thread(uint8_t index) const {
    static constexpr ThreadIds kNone;
    return has_thread(index) ? threads_[index] : kNone;
  }
  bool has_thread(uint8_t index) const { return defined_threads_[index]; }

  // Grows with whatever is defined or announced: as long as it is the same, so is all of the above.
  uint64_t definitions() const { return definitions_; }

  // The definitions; the last one of an index wins. False: the table budget is used up; the index
  // is undefined then.
  void Announce(std::string_view name);
  void SetTickRate(uint64_t ticks_per_second);  // > 0
  bool DefineString(uint16_t index, std::string_view text);
  bool DefineThread(uint8_t index, Koid process, Koid thread);

 private:
  static constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;
  struct StringSlot {
    std::string text;
    bool defined = false;
  };

  uint64_t Convert(Ticks ticks) const;

  uint32_t id_;
  uint64_t definitions_;  // that of the budget when the last one was made
  bool announced_ = false;
  bool initialized_ = false;
  uint64_t ticks_per_second_ = kNanosecondsPerSecond;
  TableBudget* budget_;
  std::string name_;
  // By index; they grow to the highest one defined.
  std::vector<StringSlot> strings_;
  std::vector<ThreadIds> threads_;
  std::bitset<256> defined_threads_;
};

}  // namespace fxt
