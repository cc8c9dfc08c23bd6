// SPDX-License-Identifier: BSD-2-Clause
// Dense numbers for koids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt/format.h"

namespace facts {

// Numbers koids 0, 1, 2, ... in the order in which they are added. A flat hash table: a lookup is
// a multiplication and, nearly always, one cache line.
class KoidIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // No more than `limit` koids get a number, which is below 2^31.
  explicit KoidIndex(size_t limit) : limit_(limit), slots_(size_t{1} << kFirstBits) {}

  size_t size() const { return size_; }

  // kNone when it has no number.
  uint32_t Find(fxt::Koid koid) const { return slots_[SlotOf(koid)].number; }

  // The number it has or gets; kNone beyond the limit.
  uint32_t Add(fxt::Koid koid) {
    Slot& slot = slots_[SlotOf(koid)];
    if (slot.number != kNone) [[likely]] {
      return slot.number;
    }
    return Insert(koid);
  }

 private:
  static constexpr unsigned kFirstBits = 10;
  struct Slot {
    fxt::Koid koid = 0;
    uint32_t number = kNone;
  };

  // The slot of `koid`, or the free one where it would go. There always is a free one.
  size_t SlotOf(fxt::Koid koid) const {
    const size_t mask = slots_.size() - 1;
    // The upper bits of the product depend on all bits of the koid.
    size_t at = koid * 0x9e3779b97f4a7c15 >> shift_;
    while (slots_[at].number != kNone && slots_[at].koid != koid) at = (at + 1) & mask;
    return at;
  }
  uint32_t Insert(fxt::Koid koid);

  size_t limit_;
  size_t size_ = 0;
  unsigned shift_ = 64 - kFirstBits;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace facts
