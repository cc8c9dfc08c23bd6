// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/timestamp_validator.h"

#include <algorithm>
#include <array>

namespace analyze {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kHour = 3600 * kSecond;
// Steps below this are normal in any recording, in ns.
constexpr uint64_t kShort = 10'000;
// Fewer following records than this decide nothing.
constexpr size_t kFew = 3;

std::span<const uint64_t> WithoutEnd(std::span<const uint64_t> upcoming) {
  while (!upcoming.empty() && upcoming.back() == ~uint64_t{0}) {
    upcoming = upcoming.first(upcoming.size() - 1);
  }
  return upcoming;
}

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

uint64_t Times(uint64_t value, uint64_t factor) {
  return value > ~uint64_t{0} / factor ? ~uint64_t{0} : value * factor;
}

struct Middle {
  uint64_t time = 0;
  uint64_t spread = 0;  // of the middle half
};

Middle MiddleOf(std::span<const uint64_t> times) {
  std::array<uint64_t, TimestampValidator::kUpcoming> sorted{};
  const size_t n = std::min(times.size(), sorted.size());
  std::copy_n(times.begin(), n, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + static_cast<long>(n));
  return {sorted[n / 2], sorted[n - 1 - n / 4] - sorted[n / 4]};
}

}  // namespace

uint64_t TimestampValidator::Far(std::span<const uint64_t> upcoming) const {
  const uint64_t known = first_ ? last_ - *first_ : 0;
  const uint64_t ahead = upcoming.size() > kFew ? MiddleOf(upcoming).spread : 0;
  return std::max(kHour, Times(std::max(known, ahead), 16));
}

bool TimestampValidator::IsPlausible(uint64_t time, std::span<const uint64_t> upcoming,
                                     bool ordered) const {
  const bool damage_ahead = upcoming.size() < kUpcoming;
  upcoming = WithoutEnd(upcoming);
  const uint64_t far = Far(upcoming);
  const bool asks_upcoming = upcoming.size() >= kFew;
  if (first_ && !ordered) {
    return Distance(time, last_) <= far ||
           (asks_upcoming && Distance(time, MiddleOf(upcoming).time) <= far);
  }
  if (asks_upcoming && Distance(time, MiddleOf(upcoming).time) > far &&
      !(first_ && ordered && time >= last_ && time - last_ <= far)) {
    return false;
  }
  if (!ordered) return true;
  if (first_ && time < last_) return false;
  // Includes the times before the last accepted one: a time later than most of its neighbours is
  // wrong.
  const auto before = static_cast<size_t>(
      std::count_if(upcoming.begin(), upcoming.end(), [&](uint64_t t) { return t < time; }));
  if (before * 2 > upcoming.size()) return false;
  // A record right before damage may be part of it. Accepting a time that is slightly late would
  // reject all records up to that time.
  if (damage_ahead && !first_) return upcoming.size() >= kUpcoming / 2;
  if (damage_ahead && first_) return time - last_ <= std::max(kShort, Times(widest_, 2));
  return asks_upcoming || !first_ || time - last_ <= far;
}

bool TimestampValidator::IsLeap(uint64_t time, std::span<const uint64_t> upcoming) const {
  if (!first_ || time < last_) return false;
  upcoming = WithoutEnd(upcoming);
  if (upcoming.empty() || time - last_ > std::max(kShort, MiddleOf(upcoming).spread)) return true;
  return std::any_of(upcoming.begin(), upcoming.end(),
                     [&](uint64_t t) { return t >= last_ && t < time; });
}

bool TimestampValidator::IsInOrder(uint64_t time, std::span<const uint64_t> upcoming) const {
  size_t shut_out = 0;
  size_t later = 0;         // so far
  size_t later_before = 0;  // the last of the rejected ones
  for (const uint64_t t : WithoutEnd(upcoming)) {
    if (t >= time) {
      ++later;
    } else if (t >= last_) {
      ++shut_out;
      later_before = later;
    }
  }
  return shut_out <= 1 + later_before;
}

bool TimestampValidator::IsPlausibleEnd(uint64_t start, uint64_t end,
                                        std::span<const uint64_t> upcoming) const {
  upcoming = WithoutEnd(upcoming);
  if (end < start) return false;
  uint64_t latest = start;
  for (const uint64_t time : upcoming) {
    if (Distance(time, start) <= Far(upcoming)) latest = std::max(latest, time);
  }
  return end <= latest || end - latest <= Far(upcoming);
}

void TimestampValidator::Note(uint64_t time) {
  if (first_ && time > last_) widest_ = std::max(widest_, time - last_);
  if (!first_) first_ = time;
  // Unordered streams have no latest record; any counts.
  last_ = std::max(last_, time);
}

}  // namespace analyze
