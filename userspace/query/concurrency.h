// SPDX-License-Identifier: BSD-2-Clause
// How many intervals go on at once, and for how long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace query {

class Concurrency {
 public:
  // Intervals that find room: 16 bytes each.
  static constexpr size_t kMaxIntervals = 25'000'000;

  // From `begin` on, `length` (>= 0) long. False: there is no room, or it ends beyond 63 bits.
  bool Add(int64_t begin, int64_t length);
  // Room for so many, of which only what is used takes memory.
  void Reserve(size_t intervals) {
    begins_.reserve(std::min(intervals, kMaxIntervals));
    ends_.reserve(std::min(intervals, kMaxIntervals));
  }
  bool empty() const { return begins_.empty(); }
  // A JSON array, ascending by level: [{"level":0,"ns":12},...]. The lengths add up to the time from
  // the first begin to the last end. Takes the intervals away.
  std::string TakeJson();

 private:
  std::vector<int64_t> begins_;
  std::vector<int64_t> ends_;
};

}  // namespace query
