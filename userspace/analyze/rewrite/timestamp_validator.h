// SPDX-License-Identifier: BSD-2-Clause
// Decides whether the time of a record of a damaged trace fits the times around it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace analyze {

// Times are in nanoseconds, in file order.
class TimestampValidator {
 public:
  // Number of following times for a decision.
  static constexpr size_t kUpcoming = 32;
  // The same after a leap.
  static constexpr size_t kFarAhead = 2048;

  // `upcoming`: the times of the following records, which may be wrong; ~0 beyond the end of the
  // input. There are fewer than kUpcoming where damage is longer than the lookahead. In an
  // `ordered` stream no time may precede an earlier one, and the following times decide whether
  // this one is too late. In other streams it must be near its neighbours.
  bool IsPlausible(uint64_t time, std::span<const uint64_t> upcoming, bool ordered) const;
  // True if more following times are needed: a long gap lies before `time`, or records with earlier
  // times follow. Part of the file may stand at the place of an earlier part.
  bool IsLeap(uint64_t time, std::span<const uint64_t> upcoming) const;
  // For ordered streams: true if accepting `time` rejects no more of the following records than
  // dropping it would.
  bool IsInOrder(uint64_t time, std::span<const uint64_t> upcoming) const;
  // True if a duration can last from the accepted time `start` to `end`.
  bool IsPlausibleEnd(uint64_t start, uint64_t end, std::span<const uint64_t> upcoming) const;
  // Reports an accepted time.
  void Note(uint64_t time);

 private:
  // The distance in ns from which two times are far apart.
  uint64_t Far(std::span<const uint64_t> upcoming) const;

  std::optional<uint64_t> first_;
  uint64_t last_ = 0;
  uint64_t widest_ = 0;  // step from one time to the next
};

}  // namespace analyze
