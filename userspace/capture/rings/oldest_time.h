// SPDX-License-Identifier: BSD-2-Clause
// How far back a ring goes that the kernel goes round in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "capture/rings/head_history.h"
#include "capture/rings/slot_ring.h"

namespace capture {

// The time of the oldest slot, ns of CLOCK_MONOTONIC. `index`: the ring's in `history`; `floor`:
// its first slot that counts; `now`: the time of the call. None where nothing that counts was
// overwritten yet, or the kernel is too fast to look: the next look comes soon.
std::optional<uint64_t> OldestTime(const SlotRing& ring, size_t index, uint64_t floor,
                                   const HeadHistory& history, uint64_t now);

}  // namespace capture
