// SPDX-License-Identifier: BSD-2-Clause
// The lengths that a metric is about.
#pragma once

#include <string>

#include "compare/values/metric.h"
#include "measure/capture.h"

namespace comparison {

// Null for metrics that are counts, and where the group has none. `name` is that of the system
// call.
const measure::Distribution* LengthsOf(const measure::Group& group, Metric metric,
                                       const std::string& name);

}  // namespace comparison
