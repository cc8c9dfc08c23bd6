// SPDX-License-Identifier: BSD-2-Clause
// Whom a change is blamed on.
#pragma once

#include <map>
#include <vector>

#include "compare/diff_report.h"
#include "compare/values/frame.h"
#include "compare/values/groups.h"

namespace comparison {

class Attribution {
 public:
  // `rows` are of `groups`, whose numbers they have; findings have their verdicts and folds.
  // `judged` is by number of the group.
  Attribution(const Groups& groups, const Frame& frame, const std::vector<bool>& judged,
              std::vector<Row>& rows);

  // Sets Row::because and Row::weight of the findings, and Row::caused_by where at least half of a
  // change is owed to another group that became worse, or is new, by itself. Folds waits for a CPU
  // under the CPU time of those who held it, where that is other work or became better, and takes
  // back that longer sleeps are worse where they only are what became free. Folds sleeps that
  // threads of the same group ended under what those did longer.
  void Attribute();

 private:
  // New less base, ms per second, of what a group waited because of another one.
  struct Share {
    std::optional<size_t> group;  // none: interrupts
    double change = 0;
    Cause::Kind kind = Cause::Kind::kWokenBy;
  };
  // Those who did it, largest first.
  std::vector<Share> SharesOf(size_t group, const Row& row) const;
  // What became longer for a group by itself: the number of its finding with the largest change.
  std::optional<size_t> LargestOf(size_t group, bool holds_cpu) const;
  // The finding of CPU time that went the same way, of those who held the CPU for half of a change
  // or more.
  std::optional<size_t> HolderOf(const Row& row) const;
  // Whether a group sleeps longer, by its own timer, because those it waited for were done sooner.
  bool IsRelief(const Row& row) const;
  // Whether a row is a sleep of a server outside of what was recorded until that asks it again.
  bool IsIdling(const Row& row) const;
  // New less base, ms per second: what a group ran, could have run, or was blocked.
  double BusyChange(size_t group) const;
  // Whether a group is woken less often.
  bool IsSlowed(size_t group) const;
  void SuppressWait(size_t number);
  void SuppressOwnSleep(size_t number);
  void ExplainRow(size_t number);
  void FollowChain(size_t number);
  void Weigh(size_t number);

  const Groups& groups_;
  const Frame& frame_;
  const std::vector<bool>& judged_;
  std::vector<Row>& rows_;
};

}  // namespace comparison
