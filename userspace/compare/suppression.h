// SPDX-License-Identifier: BSD-2-Clause
// Symptoms are put under their cause.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compare/diff_report.h"

namespace comparison {

// What is known of a group beside its rows.
struct SuppressionFacts {
  double after_blocked = 0;  // change of wakeup latency right after a sleep in D, ms per second
  double running = 0;        // change of the time that it runs, ms per second
  double runnable = 0;       // change of the time that it waits for a CPU, ms per second
  double blocked = 0;        // change of the time in D, ms per second
  double asleep = 0;         // change of the time asleep, ms per second
  double relief = 0;         // less of those two, where that is no chance, ms per second
  double latency = 0;        // logarithm of new to base of all wakeup latency together
  double preempted = 0;      // the same of waits after preemption
  bool slowed = false;       // it was woken less often, and asked for less by others
};

// Sets Row::folded_under of those of `numbers`, the rows of one group, that are findings because
// another of them is one:
// - latency right after a sleep in D, under blocked, when it is at least half of the change;
// - less sleep, under more work, and no finding at all where the time went elsewhere; more sleep of
//   a group that does as much as before, under what became better, when half of it or more is time
//   that the group now needs for nothing else, unless it waits in the place of its own pauses; of
//   more sleeps above the median beside better CPU time, half of how much more it is asleep in all;
// - latency, and waits after preemption, under wakeups that are the more for half of it or more;
// - waits after preemption, under CPU time that grew at least half as much, in ms or in logarithms;
// - switches, under wakeups or waits; system calls, under what the group does in them;
// - metrics that are a part of others (IsPart), under those; with nothing to go under they are no
//   findings;
// - everything of a group that is new or gone, under that.
void Fold(std::vector<Row>& rows, std::span<const size_t> numbers, const SuppressionFacts& facts);

}  // namespace comparison
