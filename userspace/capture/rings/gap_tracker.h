// SPDX-License-Identifier: BSD-2-Clause
// Detects when a full slot ring begins to lose scheduling events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fxt_record/event.h"

namespace capture {

// BPF emits a loss slot only when the ring has room again, which is the end of the gap. The ring
// control shows the first lost event at once, so the beginning of the gap can be delivered in time
// order. Must be asked at each drain, after the clock and the heads were read.
class GapTracker {
 public:
  struct Gap {
    uint64_t since;  // time of the first lost event, ns of CLOCK_MONOTONIC
    uint32_t cpu;
  };

  // Queues the gap that the ring of `cpu` is in, unless it is known already.
  void Update(uint32_t cpu, const fxr_ring_control& control) {
    if (__atomic_load_n(&control.gap, __ATOMIC_ACQUIRE) == 0) return;
    if (__atomic_load_n(&control.pending[FXR_CATEGORY_SCHED], __ATOMIC_ACQUIRE) == 0) return;
    const uint64_t since =
        __atomic_load_n(&control.pending_since[FXR_CATEGORY_SCHED], __ATOMIC_ACQUIRE);
    if (cpu >= known_.size()) known_.resize(cpu + size_t{1});
    if (known_[cpu] == since) return;
    known_[cpu] = since;
    const auto place = std::ranges::upper_bound(gaps_, since, {}, &Gap::since);
    gaps_.insert(place, {since, cpu});
  }

  // Time of the first queued gap; UINT64_MAX: none.
  uint64_t NextTime() const { return gaps_.empty() ? UINT64_MAX : gaps_.front().since; }
  // Removes the first queued gap.
  Gap Pop() {
    const Gap gap = gaps_.front();
    gaps_.erase(gaps_.begin());
    return gap;
  }

 private:
  std::vector<uint64_t> known_;  // by CPU: beginning of the last gap
  std::vector<Gap> gaps_;        // by time
};

}  // namespace capture
