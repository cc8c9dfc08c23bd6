// SPDX-License-Identifier: BSD-2-Clause
// Who spent how much time because of whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/capture.h"

namespace measure {

// Flat hash tables by group, reason and other group. No more than kMaxPairs are told apart: what
// comes beyond counts for kNoGroup.
class BlameLedger {
 public:
  static constexpr size_t kMaxPairs = size_t{1} << 17;

  void Add(uint32_t group, Because why, uint32_t other, const Blame& blame) {
    if (blame.count == 0) return;
    const uint64_t key = all_.Add(KeyOf(group, why, other), blame.count, blame.ns);
    if (blame.blocked != 0) blocked_.Add(key, blame.blocked, blame.blocked_ns);
  }

  // Calls `tell(group, why, other, blame)` for each, in no order.
  template <typename Tell>
  void ForEach(Tell&& tell) const {
    for (const Slot& slot : all_.slots()) {
      if (slot.count == 0) continue;
      Blame blame{.count = slot.count, .ns = slot.ns};
      const Slot& blocked = blocked_.SlotOf(slot.key);
      if (blocked.count != 0) {
        blame.blocked = blocked.count;
        blame.blocked_ns = blocked.ns;
      }
      tell(static_cast<uint32_t>(slot.key >> 32 & kGroupMask), static_cast<Because>(slot.key >> 61),
           static_cast<uint32_t>(slot.key), blame);
    }
  }

 private:
  static constexpr uint32_t kGroupMask = (uint32_t{1} << 29) - 1;
  // Groups are below kGroupMask.
  static uint64_t KeyOf(uint32_t group, Because why, uint32_t other) {
    return (uint64_t{group} << 32 | other) + (static_cast<uint64_t>(why) << 61);
  }

  // Small, for there are many of them and they are needed in no order.
  struct Slot {
    uint64_t key = 0;
    uint64_t count = 0;  // 0: free
    uint64_t ns = 0;
  };
  class Table {
   public:
    Table() : slots_(size_t{1} << kFirstBits) {}
    // The key that it counts for.
    uint64_t Add(uint64_t key, uint64_t count, uint64_t ns) {
      Slot& slot = slots_[Find(key)];
      if (slot.count == 0) [[unlikely]] {
        return AddNew(key, count, ns);
      }
      slot.count += count;
      slot.ns += ns;
      return key;
    }
    const Slot& SlotOf(uint64_t key) const { return slots_[Find(key)]; }
    const std::vector<Slot>& slots() const { return slots_; }

   private:
    static constexpr unsigned kFirstBits = 8;

    // The slot of `key`, or the free one where it would go.
    size_t Find(uint64_t key) const {
      const size_t mask = ~size_t{0} >> shift_;
      size_t at = key * 0x9e3779b97f4a7c15 >> shift_;
      while (slots_[at].count != 0 && slots_[at].key != key) at = (at + 1) & mask;
      return at;
    }
    uint64_t AddNew(uint64_t key, uint64_t count, uint64_t ns);
    void Grow();

    std::vector<Slot> slots_;  // a power of two, at most half full
    size_t used_ = 0;
    unsigned shift_ = 64 - kFirstBits;
  };

  Table all_;
  Table blocked_;  // the part of it that was spent in D
};

}  // namespace measure
