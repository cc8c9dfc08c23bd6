// SPDX-License-Identifier: BSD-2-Clause
// The lengths that a metric measures: sums and quantiles over them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/values/metric.h"
#include "measure/capture.h"

namespace comparison {

// Values beyond a quantile that is shown.
inline constexpr double kLeastShownBeyond = 2;

// Null for metrics that are counts, and where the group has none. `name` is that of the system
// call.
const measure::Distribution* LengthsOf(const measure::Group& group, Metric metric,
                                       const std::string& name);

// A sum over the lengths of a histogram.
struct LengthSum {
  double count = 0;
  double ns = 0;
  double squares = 0;
  // Variance of the logarithm of the sum, for a Poisson number of these lengths.
  double variance() const { return ns > 0 ? squares / (ns * ns) : 0; }
};

// The sum of (length - threshold) over longer lengths, weighted by CompleteWeight(). `own` and
// `shortest` are the lengths of this capture and of the shortest one, ns.
LengthSum ExcessOf(const measure::Histogram& histogram, uint64_t threshold, double own,
                   double shortest);

// For each of `q`, ascending: the quantile of all waits of the captures of a side, ns. Not tested,
// only shown. Nothing where a capture has fewer than kLeastShownBeyond beyond it: 4 waits are
// needed for the median, 200 for 0.99, 2,000 for 0.999. Waits that an edge cut are censored: above
// 1% of them, the Kaplan-Meier estimate counts them, and has no value beyond the last complete
// wait.
std::vector<std::optional<double>> QuantilesOf(
    std::span<const measure::Distribution* const> captures, std::span<const double> q);

}  // namespace comparison
