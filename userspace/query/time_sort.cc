// SPDX-License-Identifier: BSD-2-Clause
#include "query/time_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace query {
namespace {

constexpr unsigned kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
// What stays in the second-level cache twice.
constexpr size_t kSmall = 32768;
using Places = std::array<size_t, kDigits>;

// From the lowest digit on.
void SortSmall(std::span<int64_t> values, uint64_t base, uint64_t range,
               std::vector<int64_t>& other) {
  other.resize(values.size());
  std::span<int64_t> from = values;
  std::span<int64_t> to(other);
  // As few digits as need be, of the same number of bits.
  const auto bits = static_cast<unsigned>(std::bit_width(range));
  const unsigned digits = std::max(1U, (bits + kDigitBits - 1) / kDigitBits);
  const unsigned digit_bits = (bits + digits - 1) / digits;
  const uint64_t mask = (uint64_t{1} << digit_bits) - 1;
  Places places;
  for (unsigned shift = 0; shift < bits; shift += digit_bits) {
    std::fill_n(places.begin(), mask + 1, 0);
    const auto digit = [&](int64_t value) {
      return (static_cast<uint64_t>(value) - base) >> shift & mask;
    };
    for (const int64_t value : from) ++places[digit(value)];
    size_t place = 0;
    for (size_t i = 0; i <= mask; ++i) places[i] = std::exchange(place, place + places[i]);
    for (const int64_t value : from) to[places[digit(value)]++] = value;
    std::swap(from, to);
  }
  if (from.data() != values.data()) std::copy(from.begin(), from.end(), values.begin());
}

void Sort(std::span<int64_t> values, std::vector<int64_t>& other) {
  if (std::is_sorted(values.begin(), values.end())) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto base = static_cast<uint64_t>(*least);
  const uint64_t range = static_cast<uint64_t>(*most) - base;
  if (values.size() <= kSmall) return SortSmall(values, base, range, other);
  const auto bits = static_cast<unsigned>(std::bit_width(range));
  const unsigned shift = bits > kDigitBits ? bits - kDigitBits : 0;
  const auto digit = [&](int64_t value) { return (static_cast<uint64_t>(value) - base) >> shift; };
  Places ends{};
  for (const int64_t value : values) ++ends[digit(value)];
  Places nexts{};
  size_t end = 0;
  for (size_t i = 0; i < kDigits; ++i) {
    nexts[i] = end;
    end += ends[i];
    ends[i] = end;
  }
  // Each value goes to where those of its digit are, and takes the place of one that goes on.
  for (size_t i = 0; i < kDigits; ++i) {
    while (nexts[i] < ends[i]) {
      int64_t value = values[nexts[i]];
      for (size_t at = digit(value); at != i; at = digit(value))
        std::swap(value, values[nexts[at]++]);
      values[nexts[i]++] = value;
    }
  }
  if (shift == 0) return;
  size_t begin = 0;
  for (const size_t part_end : ends) {
    Sort(values.subspan(begin, part_end - begin), other);
    begin = part_end;
  }
}

}  // namespace

void SortTimes(std::span<int64_t> values) {
  std::vector<int64_t> other;
  Sort(values, other);
}

}  // namespace query
