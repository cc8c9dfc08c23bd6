// SPDX-License-Identifier: BSD-2-Clause
// Whom a change is blamed on.
#pragma once

#include <map>
#include <vector>

#include "compare/diff_report.h"
#include "compare/values/frame.h"
#include "compare/values/groups.h"

namespace comparison {

class Because {
 public:
  // `rows` are of `groups`, whose numbers they have; findings have their verdicts and folds.
  // `judged` is by number of the group.
  Because(const Groups& groups, const Frame& frame, const std::vector<bool>& judged,
          std::vector<Row>& rows);

  // Sets Row::because and Row::weight of the findings, and Row::caused_by where at least half of a
  // change is owed to another group that became worse, or is new, by itself.
  void Explain();

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
  void ExplainRow(size_t number);
  void FollowChain(size_t number);
  void Weigh(size_t number);

  const Groups& groups_;
  const Frame& frame_;
  const std::vector<bool>& judged_;
  std::vector<Row>& rows_;
};

}  // namespace comparison
