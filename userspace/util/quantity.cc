// SPDX-License-Identifier: BSD-2-Clause
#include "util/quantity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace util {
namespace {

// Splits "1.5ms" into a number and its unit; false if it does not start with a decimal number.
bool SplitNumber(std::string_view text, double* number, std::string_view* unit) {
  size_t end = text.find_first_not_of("0123456789.");
  std::string digits(text.substr(0, end));
  if (digits.empty() || digits == "." || digits.find('.') != digits.rfind('.')) return false;
  *number = std::strtod(digits.c_str(), nullptr);
  *unit = end == std::string_view::npos ? std::string_view() : text.substr(end);
  return std::isfinite(*number);
}

uint64_t RoundTo(uint64_t number, uint64_t unit) {
  return number / unit + (number % unit >= unit / 2 ? 1 : 0);
}

}  // namespace

Result<uint64_t> ParseDuration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{{"", 1e9},
                                                                          {"ns", 1},
                                                                          {"us", 1e3},
                                                                          {"ms", 1e6},
                                                                          {"s", 1e9},
                                                                          {"m", 60e9},
                                                                          {"min", 60e9},
                                                                          {"h", 3600e9}}};
  constexpr double kMost = 100.0 * 365 * 86400 * 1e9;
  const Error error{fmt::format("cannot read '{}' as a duration", text),
                    "write it like 10s, 500ms or 2m"};
  double number = 0;
  std::string_view unit;
  if (!SplitNumber(text, &number, &unit)) return error;
  for (const auto& [name, ns] : kUnits) {
    if (name != unit) continue;
    double total = number * ns;
    if (total < 1 || total > kMost) break;
    return static_cast<uint64_t>(total);
  }
  return error;
}

Result<uint64_t> ParseSize(std::string_view text) {
  const Error error{fmt::format("cannot read '{}' as a size", text),
                    "write it like 64K, 8M or 1G (bytes in powers of 1024)"};
  double number = 0;
  std::string_view unit;
  if (!SplitNumber(text, &number, &unit)) return error;
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    constexpr std::string_view kPrefixes = "KMGT";
    char prefix = unit[0] == 'k' ? 'K' : unit[0];
    size_t power = kPrefixes.find(prefix);
    std::string_view rest = unit.substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB")) {
      return error;
    }
    factor = std::exp2(10.0 * static_cast<double>(power + 1));
  }
  double bytes = number * factor;
  if (bytes < 1 || bytes > 0x1p60) return error;
  return static_cast<uint64_t>(bytes);
}

std::string FormatSize(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  // A value that would print as 1024.0 moves to the next unit.
  while (size >= 1023.95 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

// Rounds before splitting: 119.96 s are 2:00.0, not 1:60.0.
std::string FormatDuration(uint64_t ns) {
  if (const uint64_t us = RoundTo(ns, 1000); ns != 0 && us < 1000) return fmt::format("{} us", us);
  const uint64_t tenths_of_ms = RoundTo(ns, 100'000);
  if (tenths_of_ms < 10'000) {
    return fmt::format("{}.{} ms", tenths_of_ms / 10, tenths_of_ms % 10);
  }
  const uint64_t hundredths = RoundTo(ns, 10'000'000);
  if (hundredths < 6'000) return fmt::format("{}.{:02} s", hundredths / 100, hundredths % 100);
  const uint64_t tenths = RoundTo(ns, 100'000'000);
  if (tenths < 36'000) {
    return fmt::format("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10);
  }
  const uint64_t seconds = RoundTo(ns, 1'000'000'000);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

}  // namespace util
