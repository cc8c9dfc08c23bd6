// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/blame_ledger.h"

#include <utility>

namespace measure {

BlameLedger::Slot& BlameLedger::SlotOf(uint32_t group, uint32_t why, uint32_t other) {
  const uint64_t key = ((uint64_t{group} << 32) | other) + (uint64_t{why} << 61);
  const size_t mask = slots_.size() - 1;
  size_t at = key * 0x9e3779b97f4a7c15 >> shift_;
  for (;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.blame.count == 0) return slot;
    if (slot.group == group && slot.other == other && slot.why == why) return slot;
  }
}

void BlameLedger::Grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  --shift_;
  for (const Slot& slot : before) {
    if (slot.blame.count != 0) SlotOf(slot.group, slot.why, slot.other) = slot;
  }
}

void BlameLedger::Add(uint32_t group, Because why, uint32_t other, const Blame& blame) {
  if (blame.count == 0) return;
  const auto number = static_cast<uint32_t>(why);
  Slot* slot = &SlotOf(group, number, other);
  if (slot->blame.count == 0) {
    // Each group may have an entry for nobody, whatever the limit.
    if (used_ >= kMaxPairs && other != kNoGroup) return Add(group, why, kNoGroup, blame);
    if ((used_ + 1) * 2 > slots_.size()) {
      Grow();
      slot = &SlotOf(group, number, other);
    }
    ++used_;
    slot->group = group;
    slot->other = other;
    slot->why = number;
  }
  slot->blame.count += blame.count;
  slot->blame.ns += blame.ns;
  slot->blame.blocked_ns += blame.blocked_ns;
  slot->blame.blocked += blame.blocked;
}

}  // namespace measure
