// SPDX-License-Identifier: BSD-2-Clause
// What a change that is one is called.
#pragma once

#include <array>
#include <vector>

#include "compare/diff_report.h"
#include "compare/row_tests.h"

namespace comparison {

// What is known of a group when its rows are judged.
struct GroupChange {
  // Logarithm of new to base, by Statistic.
  std::array<double, kStatistics> change{};
  // The same of the wakeups by other groups: requests, where somebody asks it for something.
  double requests = 0;
  // The same of the wakeups by timers and devices: turns, where it has a clock of its own.
  double turns = 0;
  // The time that its threads ran, waited for a CPU or were in D, of the side where there is more
  // of it, ms per second of a capture.
  double busy = 0;
  // Switches by preemption alone, per second, new less base.
  double forced = 0;
  // Whether it waits longer in all after those than before.
  bool waits_more = false;
  bool added = false;    // no capture of the base has it
  bool removed = false;  // the other way round
};

// The verdict of a row whose change is real. kUnchanged where the change, real as it is, says
// nothing by itself.
Verdict Judge(const Row& row, const GroupChange& group);

}  // namespace comparison
