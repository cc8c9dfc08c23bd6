// SPDX-License-Identifier: BSD-2-Clause
// What captures have in common, so that values of theirs are comparable.
#pragma once

#include <vector>

#include "compare/values/groups.h"

namespace comparison {

struct Frame {
  // Rates are per so many seconds, by capture: its length. Of captures that hold a command from its
  // start to its exit it is the same for all, so that what is compared is what a run of it takes.
  std::vector<double> seconds;
  bool per_run = false;
  // The length of the shortest capture, ns: longer sleeps are not in it.
  double shortest = 0;
};

Frame FrameOf(Captures captures);

// How likely a sleep or wait of `length` ns is to be whole in a capture of `shortest` ns, beside
// one of `own` ns. 0 when it is longer than the shortest.
double WholeWeight(double length, double own, double shortest);

}  // namespace comparison
