// SPDX-License-Identifier: BSD-2-Clause
// Whether the time of a record of a damaged trace fits those around it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace analyze {

// Times in nanoseconds, in file order.
class TimestampValidator {
 public:
  // How many records behind one are worth asking for.
  static constexpr size_t kUpcoming = 32;
  // Behind a leap.
  static constexpr size_t kFarAhead = 2048;

  // `upcoming`: the times of the records behind it, which may be wrong themselves; ~0 where the
  // input ends, fewer than kUpcoming where there is more damage than anybody looks beyond. In a
  // stream that is `ordered` no time may lie before an earlier one, and the times that follow
  // decide whether this one is too late; in any other it may not be far from what is around it.
  bool IsPlausible(uint64_t time, std::span<const uint64_t> upcoming, bool ordered) const;
  // Whether so much time passes before `time`, or records with earlier times follow, that those of
  // more records are worth asking for: part of the file may stand where an earlier one was.
  bool IsLeap(uint64_t time, std::span<const uint64_t> upcoming) const;
  // In a stream that is ordered: whether believing it costs no more records than not doing so. It
  // shuts out those that follow with times from the last one to it; they would shut out it and what
  // stands between them with times like its own.
  bool IsInOrder(uint64_t time, std::span<const uint64_t> upcoming) const;
  // Whether something may last from `start`, which is believed, to `end`.
  bool IsPlausibleEnd(uint64_t start, uint64_t end, std::span<const uint64_t> upcoming) const;
  // Of a record that was believed.
  void Note(uint64_t time);

 private:
  // Nanoseconds beyond which a time is far from another.
  uint64_t Far(std::span<const uint64_t> upcoming) const;

  std::optional<uint64_t> first_;
  uint64_t last_ = 0;
  uint64_t widest_ = 0;  // step from one time to the next
};

}  // namespace analyze
