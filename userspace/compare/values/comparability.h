// SPDX-License-Identifier: BSD-2-Clause
// Whether captures can be compared with each other, and which belong together.
#pragma once

#include <string>
#include <vector>

#include "compare/statistics/moderated_test.h"
#include "compare/values/groups.h"
#include "util/result.h"

namespace comparison {

// Captures a side from which on a finding is confirmed. As many pairs are a test in pairs, and as
// many captures and groups an estimate of the noise: two have one difference, and no variance.
inline constexpr size_t kConfirmed = 3;
// The part of its events, or of its waits, that a capture may lack without being corrected.
inline constexpr double kLostMuch = 0.01;

struct Comparability {
  bool ok = true;                  // false: some values are not comparable
  std::vector<std::string> notes;  // the reasons
  // Whether all captures recorded these categories.
  bool irq = true;
  bool softirq = true;
  bool syscall = true;
  bool wait = true;
};

// An error for captures that must not be mixed: those around an event with others, those of a
// command with those of the whole machine, and captures in which nothing ran.
util::Result<Comparability> CheckComparability(Captures captures, size_t bases);

// Positions in the base (the first `bases` captures) and in the new captures that were recorded one
// after the other: their start times alternate (ABAB or ABBA). Empty if they do not, if there are
// fewer than kConfirmed, or if a start time is not known.
Pairs InterleavedPairs(Captures captures, size_t bases);

}  // namespace comparison
