// SPDX-License-Identifier: BSD-2-Clause
// Compares the flame graphs of two sets of captures, frame by frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/flame/flame_stacks.h"
#include "compare/values/groups.h"
#include "measure/capture.h"

namespace analyze {

// The flame graph of one capture.
struct FlameCapture {
  FoldedStacks stacks;
  FoldedStacks events;  // occurrences of each stack
};

// Two sets. The first `bases` captures are the base.
struct FlameSets {
  FlameKind kind = FlameKind::kOff;
  std::vector<FlameCapture> captures;
  std::vector<double> seconds;  // by capture: divisors that make their sums comparable
  size_t bases = 0;
};

struct FlameComparison {
  // Means of the captures of each side, of the mean length. Stacks that both round to 0 are in
  // neither.
  FoldedStacks base;
  FoldedStacks next;
  // By frame in the order of a walk through the tree of both (as FlameJson() has them), the root
  // first: the rate of false discoveries at which its change is one, 1 where it is not tested.
  std::vector<double> q;
  bool enough = false;  // three captures a side, or more
};

// Occurrences in a capture of the side with more time that a test needs, on average.
inline constexpr double kLeastOccurrences = 3;

// Tests each frame of the tree as `fxt diff` tests a statistic: a moderated t-test of the
// logarithms against a least change of 10%, each capture one sample. Rates of false discoveries are
// those of Benjamini and Hochberg over the tree; frames with the same stacks count as one.
FlameComparison CompareFlames(const FlameSets& sets);

// Gives processes and threads of the base the names of those of the new captures that they are, as
// `fxt diff` matches renamed ones. The positions are those of `sets`.
void MatchRenamed(FlameSets& sets, comparison::Captures captures);

}  // namespace analyze
