// SPDX-License-Identifier: BSD-2-Clause
// Makes values of captures of different length comparable.
#pragma once

#include <vector>

#include "compare/values/groups.h"

namespace comparison {

struct Normalization {
  // The divisor of rates by capture, seconds: its length. For captures of a command from start to
  // exit it is their mean elapsed time, so that a run of the command is compared with a run.
  std::vector<double> seconds;
  bool per_run = false;
  // The length of the shortest capture, ns: no longer sleep is complete in it. Infinite for
  // captures of whole runs.
  double shortest = 0;
};

Normalization NormalizationOf(Captures captures);

// The probability that a sleep or wait of `length` ns is complete in a capture of `shortest` ns, in
// parts of that in a capture of `own` ns. 0 if it is longer than the shortest.
double CompleteWeight(double length, double own, double shortest);

}  // namespace comparison
