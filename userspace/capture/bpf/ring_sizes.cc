// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/ring_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "util/cpu_list.h"

namespace capture {
namespace {

// The side ring, like a slot ring, must last a quarter of a second without the collector. The load
// is 30,000 forks and exits per second and CPU, some of them with exec.
constexpr uint64_t kSideRingBytesPerCpu = 2 << 20;
constexpr uint64_t kMaxSideRingBytes = 16 << 20;

}  // namespace

uint64_t DefaultRingBytes(uint32_t cpus) {
  constexpr uint64_t kTotal = 128 << 20;
  constexpr uint64_t kMax = 8 << 20;
  constexpr uint64_t kLeast = 1 << 20;
  return std::clamp(std::bit_floor(kTotal / std::max(cpus, 1u)), kLeast, kMax);
}

util::Result<uint64_t> RingBytesOf(uint64_t total_bytes) {
  const uint64_t rings = util::ReadCpuList("present").back() + 1;
  const uint64_t bytes = std::bit_floor(total_bytes / rings);
  if (bytes < kMinRingBytes || bytes > kMaxRingBytes) {
    const bool has_no_unit = total_bytes < 4096;
    return util::Error{
        has_no_unit ? fmt::format("a buffer of {} bytes is out of range", total_bytes)
                    : fmt::format("a buffer of {} KiB is out of range", total_bytes >> 10),
        fmt::format("{}this machine's {} CPUs share {} KiB to {} GiB",
                    has_no_unit ? fmt::format("{0}M is {0} MiB; ", total_bytes) : "", rings,
                    rings * kMinRingBytes >> 10, rings * kMaxRingBytes >> 30)};
  }
  return bytes;
}

util::Result<RingSizes> SizeRings(uint64_t ring_bytes) {
  RingSizes sizes;
  sizes.control_count = util::ReadCpuList("possible").back() + 1;
  sizes.ring_count = std::min(util::ReadCpuList("present").back() + 1, sizes.control_count);
  if (ring_bytes == 0) ring_bytes = DefaultRingBytes(sizes.ring_count);
  sizes.ring_shift =
      static_cast<unsigned>(std::countr_zero(std::bit_ceil(ring_bytes / sizeof(fxr_slot))));
  // Small slot rings imply a small side ring.
  sizes.side_ring_bytes =
      std::min(std::bit_ceil(sizes.ring_count *
                             std::clamp<uint64_t>(ring_bytes, 4096, kSideRingBytesPerCpu)),
               kMaxSideRingBytes);
  if (sizes.slots() > UINT32_MAX) {
    return util::Error{fmt::format("{} rings of {} MiB are more than one map can hold",
                                   sizes.ring_count, sizes.ring_bytes() >> 20),
                       "ask for smaller ones with --buffer-size"};
  }
  return sizes;
}

}  // namespace capture
