// SPDX-License-Identifier: BSD-2-Clause
// How many times processes or programs worked for each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt/hash_factor.h"

namespace facts {

// Counts by pair of parties, which are numbers above 0. A flat hash table: both directions of a
// pair are in one slot, since each wakeup asks for both. Memory: 2 MiB at most.
class ServingCounts {
 public:
  // Further pairs have no counts.
  static constexpr size_t kMostPairs = size_t{1} << 16;

  struct Times {
    uint32_t forward = 0;   // that `server` took a request of `client`, or answered one
    uint32_t backward = 0;  // the same the other way round
  };
  Times Of(uint32_t server, uint32_t client) const {
    const Slot& slot = slots_[SlotOf(KeyOf(server, client))];
    const size_t direction = server < client ? 0 : 1;
    return {slot.times[direction], slot.times[1 - direction]};
  }
  // `server` worked for `client` once more; they differ.
  void Add(uint32_t server, uint32_t client) {
    const uint64_t key = KeyOf(server, client);
    Slot& slot = slots_[SlotOf(key)];
    if (slot.key != key) [[unlikely]] {
      return AddFirst(server, client);
    }
    uint32_t& times = slot.times[server < client ? 0 : 1];
    times += times != UINT32_MAX;
  }

 private:
  static constexpr unsigned kFirstBits = 8;

  struct Slot {
    uint64_t key = 0;                    // 0: free
    std::array<uint32_t, 2> times = {};  // by the lesser number for the greater one, and reverse
  };

  static uint64_t KeyOf(uint32_t one, uint32_t other) {
    return one < other ? uint64_t{one} << 32 | other : uint64_t{other} << 32 | one;
  }
  // The slot of `key`, or the free slot for it. There is always a free one.
  size_t SlotOf(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = key * factor_ >> shift_;
    while (slots_[at].key != key && slots_[at].key != 0) at = (at + 1) & mask;
    return at;
  }
  void AddFirst(uint32_t server, uint32_t client);

  std::vector<Slot> slots_{size_t{1} << kFirstBits};  // a power of two, at most half full
  size_t used_ = 0;
  const uint64_t factor_ = fxt::HashFactor();
  unsigned shift_ = 64 - kFirstBits;
};

}  // namespace facts
