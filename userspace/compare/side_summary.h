// SPDX-License-Identifier: BSD-2-Clause
// The captures of each side of a comparison, as the tests take them.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "compare/values/metric.h"
#include "compare/values/observation.h"

namespace comparison {

// A statistic on one side. Means are geometric: an outlier does not dominate them.
struct SideSummary {
  // Logarithms of the values by capture, with the floor of the statistic added.
  std::vector<double> shown;
  // The same of Observation::tested. Sums and counts have a tenth of the mean added as well: where
  // next to nothing becomes a lot, the variance of next to nothing does not matter. The second is
  // empty where there is one test.
  std::array<std::vector<double>, 2> tested;
  double sampling_variance = 0;  // of `tested`, mean of the captures
  double damping = 0;            // part of a variance of `shown` that is left in `tested`, 0 to 1
  double value = 0;
  OutOfScopeLoad out_of_scope;
  Detail detail;  // of the kind of the statistic, if there is any capture
};

// Of the first `bases` captures, and of the others.
std::pair<SideSummary, SideSummary> SummarizeSides(Statistic statistic,
                                                   const Observations& captures, size_t bases);

}  // namespace comparison
