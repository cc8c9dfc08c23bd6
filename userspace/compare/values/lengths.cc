// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/lengths.h"
#include "compare/values/comparability.h"

#include <algorithm>

#include "compare/values/normalization.h"

namespace comparison {
LengthSum ExcessOf(const measure::Histogram& histogram, uint64_t threshold, double own,
                   double shortest) {
  LengthSum sum;
  histogram.ForEach([&](uint32_t bucket, uint64_t count) {
    const uint64_t middle = measure::Histogram::MiddleOf(bucket);
    if (middle <= threshold) return;
    const double weight =
        static_cast<double>(count) * CompleteWeight(static_cast<double>(middle), own, shortest);
    const auto excess = static_cast<double>(middle - threshold);
    sum.count += weight;
    sum.ns += weight * excess;
    sum.squares += weight * excess * excess;
  });
  return sum;
}

const measure::Distribution* LengthsOf(const measure::Group& group, Metric metric,
                                       const std::string& name) {
  using measure::Duration;
  switch (metric) {
    case Metric::kCpuTime:
    case Metric::kSlice:
      return &group.of(Duration::kSlice);
    case Metric::kWakeupLatency:
      return &group.of(Duration::kWakeupLatency);
    case Metric::kPreemptedWait:
    case Metric::kInversion:
    case Metric::kUnconserved:
      return &group.of(Duration::kPreemptedWait);
    case Metric::kSleep:
      return &group.of(Duration::kSleep);
    case Metric::kBlocked:
      return &group.of(Duration::kBlocked);
    case Metric::kSyscallTime: {
      const auto found = group.syscalls.find(name);
      return found == group.syscalls.end() ? nullptr : &found->second;
    }
    default:
      return nullptr;
  }
}

std::vector<std::optional<double>> QuantilesOf(
    std::span<const measure::Distribution* const> captures, std::span<const double> q) {
  using measure::Histogram;
  std::vector<std::optional<double>> found(q.size());
  size_t known = q.size();  // the first of `q`, that all captures have enough waits for
  double whole = 0;
  double cut = 0;
  for (const measure::Distribution* times : captures) {
    const auto count = static_cast<double>(times->whole.count());
    while (known > 0 && count * (1 - q[known - 1]) < kLeastShownBeyond * (1 - 1e-9)) {
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
  const bool censored = cut > kLostMuch * (whole + cut);
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

}  // namespace comparison
