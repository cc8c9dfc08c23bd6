// SPDX-License-Identifier: BSD-2-Clause
#include "facts/koid_index.h"

#include <utility>

namespace facts {

uint32_t KoidIndex::Insert(fxt::Koid koid) {
  if (size_ >= limit_ || !budget_.Take(bytes_of_each_)) {
    is_full_ = true;
    return kNone;
  }
  if ((size_ + 1) * 2 > slots_.size()) {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    --shift_;
    for (const Slot& slot : before) {
      if (slot.number != kNone) slots_[SlotOf(slot.koid)] = slot;
    }
  }
  const auto number = static_cast<uint32_t>(size_++);
  slots_[SlotOf(koid)] = {koid, number};
  return number;
}

}  // namespace facts
