// SPDX-License-Identifier: BSD-2-Clause
// How many rings there are, and how large they are.
#pragma once

#include <cstdint>

#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

inline constexpr uint64_t kMinRingBytes = 4096;
inline constexpr uint64_t kMaxRingBytes = uint64_t{1} << 30;
// Large enough to ride out a quarter of a second without the collector at a million events a second
// per CPU, as long as all CPUs together stay within 128 MiB; never below 1 MiB.
uint64_t DefaultRingBytes(uint32_t cpus);

// What each CPU's ring has where all of them have so many bytes together, rounded down to a power
// of two; an error when that is too small or too large.
util::Result<uint64_t> RingBytesOf(uint64_t total_bytes);

struct RingSizes {
  uint32_t control_count = 0;  // one for each possible CPU
  uint32_t ring_count = 0;     // one for each present CPU; not more than controls
  unsigned ring_shift = 0;     // a ring has 1 << this many slots
  uint64_t side_ring_bytes = 0;

  uint64_t slots_per_ring() const { return uint64_t{1} << ring_shift; }
  uint64_t slots() const { return slots_per_ring() * ring_count; }
  uint64_t ring_bytes() const { return sizeof(fxr_slot) << ring_shift; }
};

// For rings of so many bytes, rounded up to a power of two; 0: DefaultRingBytes. An error when they
// are too large for one map.
util::Result<RingSizes> SizeRings(uint64_t ring_bytes);

}  // namespace capture
