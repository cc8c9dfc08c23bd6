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

// Limits the bytes of the tables of several providers. A damaged file can define 32767 strings of
// 32 KB for each of 2^32 providers.
struct TableBudget {
  size_t limit = 0;
  size_t used = 0;
  uint64_t definitions = 0;       // of all providers
  TableBudget* shared = nullptr;  // of several tables: what is taken here counts there, too

  bool Take(size_t bytes) {
    if (bytes > limit - used) return false;
    if (shared != nullptr && !shared->Take(bytes)) return false;
    used += bytes;
    return true;
  }
  // The owner's tables end.
  void GiveBack() {
    if (shared != nullptr) shared->used -= used;
    used = 0;
  }
};

class ReaderProvider {
 public:
  // The tables take at most `max_bytes`, and no more than `budget` has left.
  ReaderProvider(uint32_t id, TableBudget& budget,
                 size_t max_bytes = std::numeric_limits<size_t>::max())
      : id_(id), definitions_(++budget.definitions), budget_(&budget), max_bytes_(max_bytes) {}

  uint32_t id() const { return id_; }
  // Empty for provider 0, which has the records before the first provider info or section.
  std::string_view name() const { return name_; }
  // The trace has a provider info record of it.
  bool announced() const { return announced_; }
  // 1,000,000,000 until an initialization record sets it.
  uint64_t ticks_per_second() const { return ticks_per_second_; }
  bool initialized() const { return initialized_; }

  // Nanoseconds, rounded down; the largest uint64_t on overflow.
  uint64_t ToNanoseconds(Ticks ticks) const {
    return ticks_per_second_ == kNanosecondsPerSecond ? ticks : Convert(ticks);
  }

  // Null if `index` (1..0x7fff) is not defined.
  const std::string* FindString(uint16_t index) const {
    if (index >= strings_.size() || !strings_[index].defined) return nullptr;
    return &strings_[index].text;
  }

  struct ThreadIds {
    Koid process = 0;
    Koid thread = 0;
  };
  // Koids 0 and 0 if `index` (1..255) is not defined.
  const ThreadIds& thread(uint8_t index) const {
    static constexpr ThreadIds kNone;
    return has_thread(index) ? threads_[index] : kNone;
  }
  bool has_thread(uint8_t index) const { return defined_threads_[index]; }

  // Changes with each definition and announcement. If it is unchanged, so is the state above.
  uint64_t definitions() const { return definitions_; }

  // The last definition of an index wins. False: the budget is used up, and the index is undefined.
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
  bool Take(size_t bytes) {
    if (bytes > max_bytes_ - used_ || !budget_->Take(bytes)) return false;
    used_ += bytes;
    return true;
  }

  uint32_t id_;
  uint64_t definitions_;  // that of the budget at the last definition
  bool announced_ = false;
  bool initialized_ = false;
  uint64_t ticks_per_second_ = kNanosecondsPerSecond;
  TableBudget* budget_;
  size_t max_bytes_;
  size_t used_ = 0;
  std::string name_;
  // By index; they grow to the highest defined one.
  std::vector<StringSlot> strings_;
  std::vector<ThreadIds> threads_;
  std::bitset<256> defined_threads_;
};

}  // namespace fxt
