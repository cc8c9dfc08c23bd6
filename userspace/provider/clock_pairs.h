// SPDX-License-Identifier: BSD-2-Clause
// Ticks of the CPU's time stamp counter as times: pairs of both, taken again and again, and
// straight lines between them. So the kernel's corrections of its clock are followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace provider {

class ClockPairs {
 public:
  // Pairs that are kept; the oldest go.
  static constexpr size_t kMaxPairs = size_t{1} << 16;

  // Whether the counter goes at one rate on all CPUs, whatever they do, and the kernel trusts it.
  static bool CounterIsInvariant();

  // Reads both now: the best of a few readings. `ahead`: what is added to this process's
  // CLOCK_MONOTONIC, ns.
  void Take(uint64_t ahead);
  // A pair read elsewhere. Both grow; a counter that goes back begins anew.
  void Add(uint64_t ticks, uint64_t ns);

  // ns of the clock of Take(). Before the first pair and behind the last one, at the rate of those
  // next to them; 0 before there are two.
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
