// SPDX-License-Identifier: BSD-2-Clause
// What a statistic that differs between two sides amounts to, in ms per second.
#pragma once

#include "compare/sides.h"
#include "compare/values/metric.h"

namespace comparison {

// No smaller change is looked for: 10%.
inline constexpr double kLeastChange = 1.1;

// New less base. 0 where the difference does not mean what the metric says: shorter runs, other
// threads, less work (docs/diff-method.md, traps).
double ChangeOf(const StatisticInfo& info, const Side& base, const Side& next);

// How much of a change of waits for a CPU came with other work of the machine, ms per second: what
// that held the CPU for more than before, as far as there is more of that work. With the square of
// it, for who comes into a queue waits for all that are in it, who have come for the same reason.
// Where there is as much other work as before, it is the group that stands worse beside it: pinned
// to where that runs, throttled, or of less weight.
double ForeignChange(const Side& base, const Side& next);

// The most that it can be about, in ms per second: what can never pass its gate is not tested.
double LargestOf(const StatisticInfo& info, const Side& base, const Side& next);

}  // namespace comparison
