// SPDX-License-Identifier: BSD-2-Clause
// The lengths that a metric is about.
#pragma once

#include <cstdint>
#include <string>

#include "compare/values/metric.h"
#include "measure/capture.h"

namespace comparison {

// Null for metrics that are counts, and where the group has none. `name` is that of the system
// call.
const measure::Distribution* LengthsOf(const measure::Group& group, Metric metric,
                                       const std::string& name);

// A sum over the lengths of a histogram.
struct LengthSum {
  double count = 0;
  double ns = 0;
  double squares = 0;
  double chance() const { return ns > 0 ? squares / (ns * ns) : 0; }
};

// Of (length - threshold)+, each with the weight that makes captures of different length equal:
// that of this one and of the shortest, ns.
LengthSum ExcessOf(const measure::Histogram& histogram, uint64_t threshold, double own,
                   double shortest);

}  // namespace comparison
