// SPDX-License-Identifier: BSD-2-Clause
// Made-up streams of context switches, for what they cost in bytes.
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

// As `perf bench sched messaging`: `threads` in groups of 40 that talk among themselves. A CPU
// works on a few groups for a while and goes from thread to thread of one of them before it turns
// to the next. The shape (how many different threads there are among 200, 1000 and 4000 switches,
// how often the group and the CPU change) was taken from recordings of that program on two CPUs.
std::vector<Step> Messaging(uint32_t threads, uint32_t cpus, size_t switches, uint32_t seed);

// `children` threads that live for two short turns each, between an idle CPU or a few others: four
// uses of a thread, and then it is dead. The handles of the dead are given again.
std::vector<Step> ForkStorm(uint32_t children, uint32_t cpus, uint32_t seed);

// Any of `threads` follows any other: nothing to be gained from what was there before.
std::vector<Step> Uniform(uint32_t threads, uint32_t cpus, size_t switches, uint32_t seed);

}  // namespace fxt::testing
