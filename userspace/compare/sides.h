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

// A side of a statistic, as logarithms, and the centre of what it stands for. The fields without a
// word here are those of Observation.
struct Side {
  std::vector<double> shown;  // with the floor of the statistic added
  // With a tenth of what is usual added as well, where it is a sum or a count: where next to
  // nothing becomes a lot, it does not matter how much next to nothing varies. The second is empty
  // where there is one way to look at it.
  std::array<std::vector<double>, 2> tested;
  double chance = 0;
  // What is left of a variance of `shown` in `tested`, 0 to 1.
  double damp = 0;
  double value = 0;
  double ms = 0;
  double events = 0;
  double foreign = 0;
  double foreign_demand = 0;
  double share = 0;
  double wakeups = 0;
  double timer = 0;
  double pauses = 0;
  double pause = 0;
  double threads = 1;
  bool per_run = false;
};

// Whether it is a mean of some events, and not a sum or a count.
bool IsMean(Statistic statistic);

// Of the first `bases` captures, and of the others.
std::pair<Side, Side> SidesOf(Statistic statistic, const Observations& captures, size_t bases);

}  // namespace comparison
