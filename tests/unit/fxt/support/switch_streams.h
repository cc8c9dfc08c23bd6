// SPDX-License-Identifier: BSD-2-Clause
// Synthetic streams of context switches, for measuring bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fxt::testing {

// One context switch, or the death of `incoming`.
struct Step {
  enum class Kind : uint8_t { kSwitch, kDeath };
  Kind kind = Kind::kSwitch;
  uint8_t cpu = 0;
  uint32_t outgoing = 0;  // handles; 0..cpus-1 are the idle threads
  uint32_t incoming = 0;
};

// Models `perf bench sched messaging`: `threads` in groups of 40 that communicate among themselves.
// A CPU works on a few groups for a while, and runs the threads of one group before the next. The
// shape (distinct threads among 200, 1000 and 4000 switches, changes of group and CPU) matches
// recordings of that program on two CPUs.
std::vector<Step> Messaging(uint32_t threads, uint32_t cpus, size_t switches, uint32_t seed);

// `children` threads that run twice briefly, between an idle CPU or a few others: each occurs four
// times and exits. Handles are reused.
std::vector<Step> ForkStorm(uint32_t children, uint32_t cpus, uint32_t seed);

// Any of `threads` follows any other, so caching cannot help.
std::vector<Step> Uniform(uint32_t threads, uint32_t cpus, size_t switches, uint32_t seed);

}  // namespace fxt::testing
