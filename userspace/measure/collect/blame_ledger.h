// SPDX-License-Identifier: BSD-2-Clause
// Sums of the time that groups spent because of other groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fxt/hash_factor.h"
#include "measure/capture.h"

namespace measure {

// Sums by group, reason and other group. Pairs beyond kMaxPairs count for kNoGroup.
class BlameLedger {
  struct Sum {
    uint64_t count = 0;  // 0: nothing is known of it
    uint64_t ns = 0;
  };

  // The entries of the first groups with one another are a dense matrix, one row for each group.
  // These are nearly all entries. Each wait accesses several of them in random order: the matrix
  // has a seventh of the size of a hash table, and stays in the cache.
  static constexpr uint32_t kNear = 128;
  // kInterrupt and kNoGroup come first.
  static constexpr uint32_t kSpecials = 2;
  static constexpr uint32_t kColumns = kNear + kSpecials;
  static_assert(kInterrupt + kSpecials == 0 && kNoGroup + kSpecials == 1);
  static_assert(kColumns <= 3 * 64);
  // Beyond what a wait is charged with.
  static constexpr size_t kMaxParts = 1024;

 public:
  static constexpr size_t kMaxPairs = size_t{1} << 17;

  [[gnu::always_inline]] void Add(uint32_t group, Attribution why, uint32_t other,
                                  const Blame& blame) {
    if (blame.count == 0) return;
    Sum* sum = Find(group, why, other);
    if (sum == nullptr) [[unlikely]] {
      return AddFirst(group, why, other, blame);
    }
    sum->count += blame.count;
    sum->ns += blame.ns;
    if (blame.blocked != 0) [[unlikely]] {
      AddBlocked(KeyOf(group, why, other), blame);
    }
  }

  // The parts of a group's wait for a CPU: a group that several of them are of counts once for its
  // threads of a lower priority and once for the others.
  class Parts {
   public:
    // False, and nothing done: Add() it for each other group, once.
    bool Add(uint32_t other, bool lower, uint64_t ns) {
      const uint32_t column = other + kSpecials;
      if (column >= kColumns) return false;
      const uint64_t bit = uint64_t{1} << column % 64;
      uint64_t& seen = seen_[lower ? 1 : 0][column / 64];
      const bool fresh = (seen & bit) == 0;
      seen |= bit;
      AddTo(held_, column, fresh, ns);
      if (lower) [[unlikely]] {
        if (lower_ == nullptr) lower_ = ledger_.RowOf(group_, Attribution::kHeldCpuLower);
        AddTo(lower_, column, fresh, ns);
      }
      return true;
    }

   private:
    friend class BlameLedger;
    using Columns = std::array<uint64_t, 3>;  // a bit for each
    Parts(BlameLedger& ledger, uint32_t group)
        : ledger_(ledger), group_(group), held_(ledger.RowOf(group, Attribution::kHeldCpu)) {}

    void AddTo(Sum* row, uint32_t column, bool fresh, uint64_t ns) {
      Sum& sum = row[column];
      if (sum.count == 0) [[unlikely]] {
        ++ledger_.pairs_;
      }
      sum.count += fresh;
      sum.ns += ns;
    }

    BlameLedger& ledger_;
    uint32_t group_;
    Sum* held_;
    Sum* lower_ = nullptr;
    std::array<Columns, 2> seen_{};  // not of a lower priority, and of a lower one
  };
  // Whether PartsOf() can be asked of a group: it has a row, and there is room for what a wait has.
  bool HasParts(uint32_t group) const { return group < kNear && pairs_ + kMaxParts < kMaxPairs; }
  Parts PartsOf(uint32_t group) { return {*this, group}; }

  // Calls `tell(group, why, other, blame)` for each, in no order.
  template <typename Tell>
  void ForEach(Tell&& tell) const {
    const auto each = [&](uint32_t group, Attribution why, uint32_t other, const Sum& sum) {
      if (sum.count == 0) return;
      Blame blame{.count = sum.count, .ns = sum.ns};
      const Sum& blocked = blocked_.SlotOf(KeyOf(group, why, other)).sum;
      blame.blocked = blocked.count;
      blame.blocked_ns = blocked.ns;
      tell(group, why, other, blame);
    };
    for (size_t why = 0; why < kAttributions; ++why) {
      for (uint32_t group = 0; group < kNear; ++group) {
        const Sum* row = near_[why][group].get();
        for (uint32_t column = 0; row != nullptr && column < kColumns; ++column) {
          each(group, static_cast<Attribution>(why), column - kSpecials, row[column]);
        }
      }
    }
    for (const Slot& slot : far_.slots()) {
      each(static_cast<uint32_t>(slot.key >> 32 & kGroupMask),
           static_cast<Attribution>(slot.key >> 61), static_cast<uint32_t>(slot.key), slot.sum);
    }
  }

 private:
  static constexpr uint32_t kGroupMask = (uint32_t{1} << 29) - 1;
  // Groups are below kGroupMask.
  static uint64_t KeyOf(uint32_t group, Attribution why, uint32_t other) {
    return (uint64_t{group} << 32 | other) + (static_cast<uint64_t>(why) << 61);
  }

  // The others: a flat hash table.
  struct Slot {
    uint64_t key = 0;
    Sum sum;  // of a free one 0
  };
  class Table {
   public:
    Table() : slots_(size_t{1} << kFirstBits) {}
    // The slot of `key`, or the free slot for it.
    const Slot& SlotOf(uint64_t key) const { return slots_[Find(key)]; }
    Slot& SlotOf(uint64_t key) { return slots_[Find(key)]; }
    void Add(uint64_t key, uint64_t count, uint64_t ns);
    const std::vector<Slot>& slots() const { return slots_; }

   private:
    static constexpr unsigned kFirstBits = 8;

    size_t Find(uint64_t key) const {
      const size_t mask = ~size_t{0} >> shift_;
      size_t at = key * factor_ >> shift_;
      while (slots_[at].sum.count != 0 && slots_[at].key != key) at = (at + 1) & mask;
      return at;
    }
    void Grow();

    std::vector<Slot> slots_;  // a power of two, at most half full
    size_t used_ = 0;
    const uint64_t factor_ = fxt::HashFactor();
    unsigned shift_ = 64 - kFirstBits;
  };

  // Null when there is none.
  [[gnu::always_inline]] Sum* Find(uint32_t group, Attribution why, uint32_t other) {
    if (group < kNear && other + kSpecials < kColumns) [[likely]] {
      Sum* row = near_[static_cast<size_t>(why)][group].get();
      if (row == nullptr) [[unlikely]] {
        return nullptr;
      }
      Sum& sum = row[other + kSpecials];
      return sum.count == 0 ? nullptr : &sum;
    }
    Slot& slot = far_.SlotOf(KeyOf(group, why, other));
    return slot.sum.count == 0 ? nullptr : &slot.sum;
  }
  // The entry of a near group, which is created if necessary.
  Sum* RowOf(uint32_t group, Attribution why) {
    auto& row = near_[static_cast<size_t>(why)][group];
    if (row == nullptr) [[unlikely]] {
      row = std::make_unique<Sum[]>(kColumns);
    }
    return row.get();
  }
  [[gnu::cold, gnu::noinline]] void AddFirst(uint32_t group, Attribution why, uint32_t other,
                                             const Blame& blame);
  [[gnu::noinline]] void AddBlocked(uint64_t key, const Blame& blame);

  std::array<std::array<std::unique_ptr<Sum[]>, kNear>, kAttributions> near_;
  Table far_;
  size_t pairs_ = 0;  // of both
  Table blocked_;     // the part of it that was spent in D
};

}  // namespace measure
