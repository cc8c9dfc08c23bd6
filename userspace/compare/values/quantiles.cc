// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/quantiles.h"

#include <algorithm>
#include <cstdint>

namespace comparison {
namespace {

// A quantile has a value from so many waits beyond it on.
constexpr double kLeastBeyond = 20;
// Above this part of cut waits, they are counted with.
constexpr double kCutUncounted = 0.01;

}  // namespace

std::vector<std::optional<double>> QuantilesOf(
    std::span<const measure::Distribution* const> captures, std::span<const double> q) {
  using measure::Histogram;
  std::vector<std::optional<double>> found(q.size());
  // Those of `q` that all captures have enough waits for come first.
  size_t known = q.size();
  double whole = 0;
  double cut = 0;
  for (const measure::Distribution* times : captures) {
    const auto count = static_cast<double>(times->whole.count());
    // As many as make enough of those above it.
    while (known > 0 &&
           count < (q[known - 1] <= 0.5 ? kLeastBeyond
                                        : kLeastBeyond / std::max(1 - q[known - 1], 1e-9))) {
      --known;
    }
    whole += count;
    cut += static_cast<double>(times->cut.count());
  }
  if (known == 0 || whole <= 0) return found;
  struct Ends {
    uint64_t whole = 0;
    uint64_t cut = 0;
  };
  std::vector<Ends> ends(Histogram::kBuckets);
  for (const measure::Distribution* times : captures) {
    times->whole.ForEach([&](uint32_t bucket, uint64_t count) { ends[bucket].whole += count; });
    times->cut.ForEach([&](uint32_t bucket, uint64_t count) { ends[bucket].cut += count; });
  }
  const bool censored = cut > kCutUncounted * (whole + cut);
  double at_risk = censored ? whole + cut : whole;
  double longer = 1;
  size_t next = 0;
  for (uint32_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    const Ends& count = ends[bucket];
    if (count.whole == 0 && count.cut == 0) continue;
    longer *= 1 - static_cast<double>(count.whole) / at_risk;
    for (; next < known && 1 - longer >= q[next] - 1e-12; ++next) {
      found[next] = static_cast<double>(Histogram::MiddleOf(bucket));
    }
    at_risk -= static_cast<double>(count.whole) + (censored ? static_cast<double>(count.cut) : 0);
    if (next == known || at_risk <= 0) break;
  }
  return found;
}

std::optional<double> QuantileOf(std::span<const measure::Distribution* const> captures, double q) {
  return QuantilesOf(captures, {&q, 1}).front();
}

}  // namespace comparison
