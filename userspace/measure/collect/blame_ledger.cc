// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/blame_ledger.h"

#include <utility>

namespace measure {

void BlameLedger::Table::Grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  --shift_;
  for (const Slot& slot : before) {
    if (slot.count != 0) slots_[Find(slot.key)] = slot;
  }
}

uint64_t BlameLedger::Table::AddNew(uint64_t key, uint64_t count, uint64_t ns) {
  // Each group may have an entry for nobody, whatever the limit.
  const uint64_t of_nobody = key | kNoGroup;
  if (used_ >= kMaxPairs && key != of_nobody) return Add(of_nobody, count, ns);
  if ((used_ + 1) * 2 > slots_.size()) Grow();
  ++used_;
  slots_[Find(key)] = {key, count, ns};
  return key;
}

}  // namespace measure
