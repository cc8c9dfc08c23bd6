// SPDX-License-Identifier: BSD-2-Clause
// Number and sizes of the rings.
#pragma once

#include <cstdint>

#include "fxt_record/event.h"
#include "util/result.h"

namespace capture {

inline constexpr uint64_t kMinRingBytes = 4096;
inline constexpr uint64_t kMaxRingBytes = uint64_t{1} << 30;
// Enough for a quarter of a second without the collector at a million events per second and CPU.
// All CPUs together stay within 128 MiB; at least 1 MiB each.
uint64_t DefaultRingBytes(uint32_t cpus);

// The size per CPU for a total of `total_bytes`, rounded down to a power of two. An error if that
// is out of range.
util::Result<uint64_t> RingBytesOf(uint64_t total_bytes);

struct RingSizes {
  uint32_t control_count = 0;  // one per possible CPU
  uint32_t ring_count = 0;     // one per present CPU, at most control_count
  unsigned ring_shift = 0;     // log2 of the slots per ring
  uint64_t side_ring_bytes = 0;

  uint64_t slots_per_ring() const { return uint64_t{1} << ring_shift; }
  uint64_t slots() const { return slots_per_ring() * ring_count; }
  uint64_t ring_bytes() const { return sizeof(fxr_slot) << ring_shift; }
};

// For rings of `ring_bytes`, rounded up to a power of two; 0: DefaultRingBytes. An error if they
// exceed one map.
util::Result<RingSizes> SizeRings(uint64_t ring_bytes);

}  // namespace capture
