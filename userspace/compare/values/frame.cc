// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/frame.h"

#include <algorithm>
#include <limits>

#include "compare/values/metric.h"

namespace comparison {
Frame FrameOf(Captures captures) {
  Frame frame;
  frame.shortest = std::numeric_limits<double>::infinity();
  frame.per_run = !captures.empty();
  double sum = 0;
  for (const measure::Capture* capture : captures) {
    // An empty capture has no rates; it says nothing, in a nanosecond.
    const double length = std::max<double>(1, static_cast<double>(capture->length()));
    frame.seconds.push_back(length / kNsPerSecond);
    frame.shortest = std::min(frame.shortest, length);
    frame.per_run = frame.per_run && capture->elapsed_ns && *capture->elapsed_ns > 0;
    sum += static_cast<double>(capture->elapsed_ns.value_or(0)) / kNsPerSecond;
  }
  if (frame.per_run) {
    frame.seconds.assign(captures.size(), sum / static_cast<double>(captures.size()));
    // All of a run is in its capture.
    frame.shortest = std::numeric_limits<double>::infinity();
  }
  return frame;
}

double WholeWeight(double length, double own, double shortest) {
  if (shortest > own) return 1;
  if (length >= shortest || length >= own) return 0;
  return (1 - length / shortest) / (1 - length / own);
}

}  // namespace comparison
