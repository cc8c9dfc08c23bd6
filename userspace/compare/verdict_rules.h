// SPDX-License-Identifier: BSD-2-Clause
// The verdict of a change that is significant, as a table of rules.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "compare/diff_report.h"

namespace comparison {

// Changes of a group as a whole. Ratios are logarithms of new to base.
struct GroupChange {
  std::array<double, kStatistics> log_ratio{};  // by Statistic
  double requests_log_ratio = 0;                // wakeups by other groups
  double from_outside_log_ratio = 0;            // wakeups but those by its own threads
  double timer_wakeups_log_ratio = 0;           // wakeups by timers and devices
  double answers_log_ratio = 0;                 // sleeps for answers
  // ms per second that its threads ran, waited for a CPU or were in D, on the side with more of it.
  double busy = 0;
  double preemptions = 0;               // switches by preemption per second, new less base
  bool waits_longer_preempted = false;  // in total, after preemptions
  // CPU time of the other groups of its process, ms per second, new less base.
  double running_beside = 0;
  bool added = false;    // no capture of the base has it
  bool removed = false;  // no new capture has it

  double of(Statistic statistic) const { return log_ratio[static_cast<size_t>(statistic)]; }
};

// Judge() tries the rules in their order and takes the first verdict.
struct VerdictRule {
  const char* name;
  const char* reason;
  // The constant of the rule: a part of a change, unless the reason says otherwise.
  double constant;
  std::optional<Verdict> (*verdict)(const ComparisonRow& row, const GroupChange& group,
                                    double constant);
};

std::span<const VerdictRule> VerdictRules();

// Sets the verdict and its rule. kUnchanged: a significant change that means nothing by itself.
void Judge(ComparisonRow& row, const GroupChange& group);

}  // namespace comparison
