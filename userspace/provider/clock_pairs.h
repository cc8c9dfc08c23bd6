// SPDX-License-Identifier: BSD-2-Clause
// Converts ticks of the CPU's time stamp counter to time. Interpolates between pairs of ticks and
// time that are taken repeatedly, and so follows the kernel's clock corrections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace provider {

class ClockPairs {
 public:
  // Limit of stored pairs; the oldest are dropped.
  static constexpr size_t kMaxPairs = size_t{1} << 16;

  // True if the counter has one constant rate on all CPUs and the kernel accepts it as a clock.
  static bool CounterIsInvariant();

  // Adds a pair of the current time, the most precise of a few readings. `ahead` (ns) is added to
  // this process's CLOCK_MONOTONIC.
  void Take(uint64_t ahead);
  // Adds a pair. Ignores it unless both values have grown; a smaller counter restarts the table.
  void Add(uint64_t ticks, uint64_t ns);

  // ns of the clock of Take(). Extrapolates before the first pair and after the last one. 0 if
  // there are fewer than two pairs.
  uint64_t ToNanoseconds(uint64_t ticks) const;
  size_t size() const { return pairs_.size(); }

 private:
  struct Pair {
    uint64_t ticks;
    uint64_t ns;
  };
  std::deque<Pair> pairs_;
};

}  // namespace provider
