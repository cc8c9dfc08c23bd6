// SPDX-License-Identifier: BSD-2-Clause
// The left edge of a ring that the kernel overwrites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "capture/rings/head_history.h"
#include "capture/rings/slot_ring.h"

namespace capture {

// The time of the oldest slot, ns of CLOCK_MONOTONIC. `index`: the ring's in `history`; `floor`:
// its first valid slot; `now`: the present time. Empty if no valid slot was overwritten yet, or if
// the kernel writes too fast to read; the next attempt follows soon.
std::optional<uint64_t> OldestTime(const SlotRing& ring, size_t index, uint64_t floor,
                                   const HeadHistory& history, uint64_t now);

}  // namespace capture
