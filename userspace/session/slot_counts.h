// SPDX-License-Identifier: BSD-2-Clause
// Counts events by category: slots that stay in their rings, and events of the side ring.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "capture/rings/slot_ring.h"
#include "fxt_record/event.h"

namespace session {

using CategoryCounts = std::array<uint64_t, FXR_CATEGORY_COUNTS>;

class SlotCounts {
 public:
  // Limit of slots that one update reads per ring, the newest ones; takes about 1 ms.
  static constexpr uint64_t kMost = uint64_t{1} << 16;

  // Counts the slots since the last call. If there are more than kMost, or more than the ring
  // holds, extrapolates from the slots that were read. Loss slots are not counted.
  void Update(std::span<const capture::SlotRing> rings);
  // Counts an event of the side ring, unless it only names a task.
  void Count(const fxr_side_header& event);
  // Since the construction.
  const CategoryCounts& counts() const { return counts_; }

 private:
  void CountRing(const capture::SlotRing& ring, uint64_t& counted);

  std::vector<uint64_t> counted_;  // by ring: the position up to which counts_ has the slots
  CategoryCounts counts_{};
};

}  // namespace session
