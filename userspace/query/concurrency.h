// SPDX-License-Identifier: BSD-2-Clause
// The time at each number of concurrent intervals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace query {

class Concurrency {
 public:
  // Largest number of intervals; 16 bytes each.
  static constexpr size_t kMaxIntervals = 25'000'000;

  // Adds an interval that begins at `begin` and has `length` (>= 0). False: there is no room, or it
  // ends beyond 63 bits.
  bool Add(int64_t begin, int64_t length);
  // Reserves room for this many; only used room takes memory.
  void Reserve(size_t intervals) {
    begins_.reserve(std::min(intervals, kMaxIntervals));
    ends_.reserve(std::min(intervals, kMaxIntervals));
  }
  bool empty() const { return begins_.empty(); }
  // A JSON array, ascending by level: [{"level":0,"ns":12},...]. The lengths add up to the time
  // from the first begin to the last end. Removes the intervals.
  std::string TakeJson();

 private:
  std::vector<int64_t> begins_;
  std::vector<int64_t> ends_;
};

}  // namespace query
