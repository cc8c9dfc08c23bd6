// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/decimal_time.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace importer {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;

// Converts a number with an exponent. These are rare and have no more digits than a double.
std::optional<int64_t> ByDouble(std::string_view number, double unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  value *= unit;
  if (!(std::abs(value) < static_cast<double>(kMost))) return std::nullopt;
  return static_cast<int64_t>(std::llround(value));
}

// `digits`: the number of decimals down to a nanosecond.
std::optional<int64_t> Parse(std::string_view number, unsigned digits, double unit) {
  const std::string_view all = number;
  const bool negative = !number.empty() && number.front() == '-';
  if (negative) number.remove_prefix(1);
  if (number.empty() || number.front() < '0' || number.front() > '9') return std::nullopt;
  int64_t value = 0;
  unsigned decimals = 0;
  bool point = false;
  bool round_up = false;
  for (const char c : number) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (point && decimals++ >= digits) {
        if (decimals == digits + 1) round_up = c >= '5';
        continue;
      }
      if (value > kMost / 10) return std::nullopt;
      value = value * 10 + (c - '0');
    } else if (c == 'e' || c == 'E') {
      return ByDouble(all, unit);
    } else {
      return std::nullopt;
    }
  }
  for (; decimals < digits; ++decimals) {
    if (value > kMost / 10) return std::nullopt;
    value *= 10;
  }
  value += round_up;
  return negative ? -value : value;
}

}  // namespace

std::optional<int64_t> NanosecondsOfMicroseconds(std::string_view number) {
  return Parse(number, 3, 1e3);
}

std::optional<int64_t> NanosecondsOfSeconds(std::string_view number) {
  return Parse(number, 9, 1e9);
}

}  // namespace importer
