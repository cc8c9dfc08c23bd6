// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/quantiles.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace comparison {
namespace {

// A quantile has a value from so many waits beyond it on.
constexpr double kLeastBeyond = 20;
// Above this part of cut waits, they are counted with.
constexpr double kCutUncounted = 0.01;

}  // namespace

std::optional<double> QuantileOf(std::span<const measure::Distribution* const> captures, double q) {
  struct Ends {
    uint64_t whole = 0;
    uint64_t cut = 0;
  };
  const double needed = kLeastBeyond / std::max(1 - q, 1e-9);
  std::map<uint32_t, Ends> ends;
  double whole = 0;
  double cut = 0;
  for (const measure::Distribution* times : captures) {
    if (static_cast<double>(times->whole.count()) < (q <= 0.5 ? kLeastBeyond : needed))
      return std::nullopt;
    whole += static_cast<double>(times->whole.count());
    cut += static_cast<double>(times->cut.count());
    for (const auto& [bucket, count] : times->whole.buckets()) ends[bucket].whole += count;
    for (const auto& [bucket, count] : times->cut.buckets()) ends[bucket].cut += count;
  }
  if (whole <= 0) return std::nullopt;
  const bool censored = cut > kCutUncounted * (whole + cut);
  double at_risk = censored ? whole + cut : whole;
  double longer = 1;
  for (const auto& [bucket, count] : ends) {
    longer *= 1 - static_cast<double>(count.whole) / at_risk;
    if (1 - longer >= q - 1e-12) {
      return static_cast<double>(measure::Histogram::MiddleOf(bucket));
    }
    at_risk -= static_cast<double>(count.whole) + (censored ? static_cast<double>(count.cut) : 0);
    if (at_risk <= 0) break;
  }
  return std::nullopt;
}

}  // namespace comparison
