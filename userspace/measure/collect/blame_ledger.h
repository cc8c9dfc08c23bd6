// SPDX-License-Identifier: BSD-2-Clause
// Who spent how much time because of whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/capture.h"

namespace measure {

// A flat hash table by group, reason and other group. No more than kMaxPairs are told apart: what
// comes beyond counts for kNoGroup.
class BlameLedger {
 public:
  static constexpr size_t kMaxPairs = size_t{1} << 17;

  BlameLedger() : slots_(size_t{1} << kFirstBits) {}

  void Add(uint32_t group, Because why, uint32_t other, const Blame& blame);

  // Calls `tell(group, why, other, blame)` for each, in no order.
  template <typename Tell>
  void ForEach(Tell&& tell) const {
    for (const Slot& slot : slots_) {
      if (slot.blame.count == 0) continue;
      tell(slot.group, static_cast<Because>(slot.why), slot.other, slot.blame);
    }
  }

 private:
  static constexpr unsigned kFirstBits = 8;
  struct Slot {
    uint32_t group = 0;
    uint32_t other = 0;
    uint32_t why = 0;
    Blame blame;  // a count of 0: free
  };

  Slot& SlotOf(uint32_t group, uint32_t why, uint32_t other);
  void Grow();

  std::vector<Slot> slots_;  // a power of two, at most half full
  size_t used_ = 0;
  unsigned shift_ = 64 - kFirstBits;
};

}  // namespace measure
