// SPDX-License-Identifier: BSD-2-Clause
// Attributes the findings of a comparison to the groups that cause them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "compare/diff_report.h"
#include "compare/values/groups.h"
#include "compare/values/normalization.h"

namespace comparison {

class Attribution;

// A rule on a finding of one group and the changes of other groups. Attribute() applies all of
// them to each finding, in their order.
struct CrossGroupRule {
  const char* name;
  const char* reason;
  double part;  // of the finding's change, at least
  void (Attribution::*apply)(size_t number, const CrossGroupRule& rule);
};

class Attribution {
 public:
  // `rows` are of `groups`, by whose positions `in_scope` is. Findings have their verdicts, and
  // symptoms within a group are suppressed. All must outlive it.
  Attribution(const Groups& groups, const Normalization& normalization,
              const std::vector<bool>& in_scope, std::vector<ComparisonRow>& rows)
      : groups_(groups), normalization_(normalization), in_scope_(in_scope), rows_(rows) {}

  static std::span<const CrossGroupRule> Rules();

  // The groups that a group waits for: those that ended its longer sleeps, and so on; itself first.
  std::vector<size_t> WaitedForBy(size_t group) const;

  // Applies the rules, and sets ComparisonRow::causes, weight and caused_by of the findings left.
  void Attribute();

 private:
  // A part of a change of waiting: new less base, ms per second.
  struct Share {
    std::optional<size_t> group;  // that it waited for; none: an interrupt
    double change = 0;
    CauseLink::Kind kind = CauseLink::Kind::kWokenBy;
  };

  class ShareSums;

  // --- rules
  void SuppressWaitForWork(size_t number, const CrossGroupRule& rule);
  void SuppressWaitOfGreaterNeed(size_t number, const CrossGroupRule& rule);
  void DropShorterWaitOfFewerThreads(size_t number, const CrossGroupRule& rule);
  void SuppressSleepForMoreWork(size_t number, const CrossGroupRule& rule);
  void SuppressExitOfBusierChild(size_t number, const CrossGroupRule& rule);
  void SuppressSleepForOwnThreads(size_t number, const CrossGroupRule& rule);
  void DropSleepAfterFasterService(size_t number, const CrossGroupRule& rule);
  void DropSleepOfIdleServer(size_t number, const CrossGroupRule& rule);

  // The parts of the change of a row, by group and kind; the largest in its direction first.
  std::vector<Share> SharesOf(const ComparisonRow& row) const;
  // Of a group's waits for answers, by group that answers; the largest growth first. `scale`: times
  // that of the base.
  std::vector<Share> AnswersOf(size_t group, double scale) const;
  // The finding that is the cause of a row's wait for `group`, of which that is `change`: one of
  // the group, or of those whose answers it waits longer for. Adds the links to the latter.
  std::optional<size_t> CauseIn(size_t group, const ComparisonRow& row, double change,
                                std::vector<CauseLink>& links) const;
  // A group without a finding may hand on what it waits for itself. Follows its waits for answers
  // that grew by `least` or more, to a group with a finding of LargestOf() if there is one. Adds
  // the links.
  std::optional<size_t> FollowAnswers(size_t group, double least, std::set<size_t> passed,
                                      std::vector<CauseLink>& links) const;
  // The finding of a group that became worse with the largest change. `of_holder`: more CPU time
  // counts as well, for the group holds a CPU.
  std::optional<size_t> LargestOf(size_t group, bool of_holder) const;
  // A sleep until threads of the same group end it, but for locks.
  bool WaitsForItself(const ComparisonRow& row) const;
  // What the group of the row does longer without waiting for a thread: the largest such finding
  // that is not small beside the row.
  std::optional<size_t> LargestLeafOf(const ComparisonRow& row) const;
  // The CPU time finding with the largest share of a wait, of the groups that held the CPU for
  // `part` of the change together.
  std::optional<size_t> HolderOf(const ComparisonRow& row, double part) const;
  // `amount` of a group in a capture: sum over captures, new less base, per second. Both sides.
  template <typename Amount>
  std::pair<double, double> RatesOf(size_t group, Amount amount) const;

  // How long a group slept for answers of another one, in all captures.
  double AnsweredNs(size_t group, size_t by) const;
  // Whether the group waits for exits of children for most of the time that it waits for answers.
  bool WaitsForChildren(size_t group) const;
  // Of the CPUs that a group runs on at a time, new to base.
  double LogRatioOfCpusAtOnce(size_t group) const;
  // Of its threads (those of all its processes), new to base.
  double LogRatioOfThreads(size_t group) const;
  // How many threads of a group there are at once: mean of the capture with most, at least 1.
  double ThreadsAtOnce(size_t group) const;
  // Makes a row, and its symptoms, symptoms of another one.
  void Suppress(size_t number, size_t by, const CrossGroupRule& rule);
  void SetCausedBy(size_t number);
  void SetCauses(size_t number);
  void SetWeight(size_t number);

  const Groups& groups_;
  const Normalization& normalization_;
  const std::vector<bool>& in_scope_;
  std::vector<ComparisonRow>& rows_;
};

// Positions of the findings in rank order: what became worse or is new before the rest, larger
// weight before smaller, a cause before its symptoms. The command's own time is the sum of all, and
// comes after the groups.
std::vector<size_t> RankOf(const std::vector<ComparisonRow>& rows);

}  // namespace comparison
