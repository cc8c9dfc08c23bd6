// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/normalization.h"

#include <algorithm>
#include <limits>

#include "compare/values/metric.h"

namespace comparison {

Normalization NormalizationOf(Captures captures) {
  Normalization result;
  result.shortest = std::numeric_limits<double>::infinity();
  result.per_run = !captures.empty();
  double sum = 0;
  for (const measure::Capture* capture : captures) {
    // An empty capture has no rates. A nanosecond avoids a division by 0.
    const double length = std::max<double>(1, static_cast<double>(capture->length()));
    result.seconds.push_back(length / kNsPerSecond);
    result.shortest = std::min(result.shortest, length);
    result.per_run = result.per_run && capture->elapsed_ns && *capture->elapsed_ns > 0;
    sum += static_cast<double>(capture->elapsed_ns.value_or(0)) / kNsPerSecond;
  }
  if (result.per_run) {
    result.seconds.assign(captures.size(), sum / static_cast<double>(captures.size()));
    result.shortest = std::numeric_limits<double>::infinity();
  }
  return result;
}

double CompleteWeight(double length, double own, double shortest) {
  if (shortest > own) return 1;
  if (length >= shortest || length >= own) return 0;
  return (1 - length / shortest) / (1 - length / own);
}

}  // namespace comparison
