// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/blame_ledger.h"

#include <utility>

namespace measure {

void BlameLedger::Table::Grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  --shift_;
  for (const Slot& slot : before) {
    if (slot.sum.count != 0) slots_[Find(slot.key)] = slot;
  }
}

void BlameLedger::Table::Add(uint64_t key, uint64_t count, uint64_t ns) {
  Slot* slot = &slots_[Find(key)];
  if (slot->sum.count == 0) {
    if ((used_ + 1) * 2 > slots_.size()) {
      Grow();
      slot = &slots_[Find(key)];
    }
    ++used_;
    slot->key = key;
  }
  slot->sum.count += count;
  slot->sum.ns += ns;
}

void BlameLedger::AddFirst(uint32_t group, Attribution why, uint32_t other, const Blame& blame) {
  // Each group may have an entry for an unknown group beyond the limit.
  if (pairs_ >= kMaxPairs && other != kNoGroup) return Add(group, why, kNoGroup, blame);
  ++pairs_;
  const uint32_t column = other + kSpecials;
  if (group < kNear && column < kColumns) {
    RowOf(group, why)[column] = {blame.count, blame.ns};
  } else {
    far_.Add(KeyOf(group, why, other), blame.count, blame.ns);
  }
  if (blame.blocked != 0) AddBlocked(KeyOf(group, why, other), blame);
}

void BlameLedger::AddBlocked(uint64_t key, const Blame& blame) {
  blocked_.Add(key, blame.blocked, blame.blocked_ns);
}

}  // namespace measure
