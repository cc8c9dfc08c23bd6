// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/latency_watch.h"

#include <algorithm>

namespace session {

LatencyWatch::LatencyWatch(const std::vector<capture::SlotRing>& rings, const Limits& above)
    : above_(above), on_cpu_(rings.size()) {
  for (size_t i = 0; i < rings.size(); ++i) {
    merger_.AddRing(rings[i], static_cast<uint32_t>(i));
    merger_.SkipTo(i, rings[i].LiveHead());
  }
}

void LatencyWatch::KeepUp() {
  fullest_ = 0;
  bool left_out = false;
  for (size_t i = 0; i < merger_.ring_count(); ++i) {
    const capture::SlotRing& ring = merger_.ring(i);
    const uint64_t head = ring.LiveHead();
    const uint64_t waiting = head - ring.consumed();
    fullest_ = std::max(
        fullest_, static_cast<unsigned>(std::min<uint64_t>(waiting * 100 / ring.capacity(), 100)));
    // Keeps a distance, so that the kernel does not overwrite slots that are being read.
    if (waiting <= ring.capacity() / 4 * 3) continue;
    const uint64_t next = head - ring.capacity() / 4;
    skipped_ += next - ring.consumed();
    merger_.SkipTo(i, next);
    left_out = true;
  }
  if (!left_out) return;
  // The states of threads may have changed in the skipped slots.
  woken_.Clear();
  off_.Clear();
  std::fill(on_cpu_.begin(), on_cpu_.end(), OnCpu{});
}

}  // namespace session
