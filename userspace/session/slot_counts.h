// SPDX-License-Identifier: BSD-2-Clause
// How many events of each category came: of slots that stay in their rings, and that nobody else
// looks at, and of the side ring's events.
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
  // Looks at so many slots of a ring at most, its newest ones: a millisecond's work.
  static constexpr uint64_t kMost = uint64_t{1} << 16;

  // Looks at what came since the last call. Where that was more than kMost, or than the ring holds,
  // the older ones are taken to be of the same kinds as those looked at. Slots that tell of a loss
  // count nowhere.
  void Update(std::span<const capture::SlotRing> rings);
  // One event of the side ring, unless it only names a task.
  void Count(const fxr_side_header& event);
  // Since the first one.
  const CategoryCounts& counts() const { return counts_; }

 private:
  void CountRing(const capture::SlotRing& ring, uint64_t& counted);

  std::vector<uint64_t> counted_;  // by ring: slots that counts_ has
  CategoryCounts counts_{};
};

}  // namespace session
