// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/oldest_time.h"

#include <atomic>

namespace capture {

// The next event overwrites the oldest slot. A slot that is overwritten during the read has the
// present time, which must not pass for the ring's left edge. So a time is accepted only if the
// head did not move, the slot has the expected lap (a program that is held up for a whole lap
// writes late), and the next slot is not older.
std::optional<uint64_t> OldestTime(const SlotRing& ring, size_t index, uint64_t floor,
                                   const HeadHistory& history, uint64_t now) {
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t head = ring.LiveHead();
    if (head - floor <= ring.capacity()) return std::nullopt;
    const uint64_t oldest = head - ring.capacity();
    const uint64_t first = ring.Read(oldest).commit;
    const uint64_t second = ring.Read(oldest + 1).commit;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (ring.LiveHead() != head || !ring.IsOf(oldest, first)) continue;
    const uint64_t near = history.Near(index, oldest, now);
    const uint64_t time = WholeTime(first, near);
    if (time <= WholeTime(second, near)) return time;
  }
  return std::nullopt;
}

}  // namespace capture
