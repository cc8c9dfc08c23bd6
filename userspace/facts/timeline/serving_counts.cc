// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/serving_counts.h"

#include <utility>

namespace facts {

void ServingCounts::AddFirst(uint32_t server, uint32_t client) {
  if (used_ >= kMostPairs) return;
  if ((used_ + 1) * 2 > slots_.size()) {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    --shift_;
    for (const Slot& slot : before) {
      if (slot.key != 0) slots_[SlotOf(slot.key)] = slot;
    }
  }
  ++used_;
  const uint64_t key = KeyOf(server, client);
  Slot& slot = slots_[SlotOf(key)];
  slot.key = key;
  slot.times[server < client ? 0 : 1] = 1;
}

}  // namespace facts
