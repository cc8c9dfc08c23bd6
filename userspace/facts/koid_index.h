// SPDX-License-Identifier: BSD-2-Clause
// Dense numbers for koids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt/format.h"
#include "fxt/hash_factor.h"
#include "fxt/reader_provider.h"

namespace facts {

// Numbers koids 0, 1, 2, ... in the order in which they are added. A flat hash table: a lookup is
// a multiplication and, nearly always, one cache line.
class KoidIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Bytes per koid, at most: slots double, and at most half of them are used.
  static constexpr size_t kBytesOfKoid = 64;

  // No more than `limit` koids get a number, which is below 2^31, and no more than `shared` has
  // room for, if it is not null: kBytesOfKoid and `more_bytes`, which the owner keeps for each of
  // them.
  explicit KoidIndex(size_t limit, fxt::TableBudget* shared = nullptr, size_t more_bytes = 0)
      : limit_(limit),
        bytes_of_each_(kBytesOfKoid + more_bytes),
        budget_{.limit = SIZE_MAX, .shared = shared},
        slots_(size_t{1} << kFirstBits) {}
  ~KoidIndex() { budget_.GiveBack(); }
  KoidIndex(const KoidIndex&) = delete;
  KoidIndex& operator=(const KoidIndex&) = delete;

  size_t size() const { return size_; }
  // A koid got no number.
  bool is_full() const { return is_full_; }

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

  // The slot of `koid`, or the free slot for it. There is always a free one.
  size_t SlotOf(fxt::Koid koid) const {
    const size_t mask = slots_.size() - 1;
    // The upper bits of the product depend on all bits of the koid.
    size_t at = koid * factor_ >> shift_;
    while (slots_[at].number != kNone && slots_[at].koid != koid) at = (at + 1) & mask;
    return at;
  }
  uint32_t Insert(fxt::Koid koid);

  size_t limit_;
  size_t bytes_of_each_;
  fxt::TableBudget budget_;
  size_t size_ = 0;
  bool is_full_ = false;
  const uint64_t factor_ = fxt::HashFactor();
  unsigned shift_ = 64 - kFirstBits;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace facts
