// SPDX-License-Identifier: BSD-2-Clause
#include "compare/verdict_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace comparison {
namespace {

ComparisonRow Make(Statistic statistic, double change, double ratio) {
  ComparisonRow row;
  row.statistic = statistic;
  row.metric = InfoOf(statistic).metric;
  row.change = change;
  row.ratio = {ratio, ratio, ratio};
  return row;
}

// Ratios of new to base of a group.
struct Ratios {
  double cpu = 1;
  double wakeups = 1;
  double requests = 1;
  std::optional<double> from_outside = {};  // as all wakeups
  double timer_wakeups = 1;
  double answers = 1;
  double busy = 800;          // ms per second
  double running_beside = 0;  // the same
};

GroupChange Group(const Ratios& ratios) {
  GroupChange group;
  group.log_ratio[static_cast<size_t>(Statistic::kCpuRate)] = std::log(ratios.cpu);
  group.log_ratio[static_cast<size_t>(Statistic::kWakeupRate)] = std::log(ratios.wakeups);
  group.requests_log_ratio = std::log(ratios.requests);
  group.from_outside_log_ratio = std::log(ratios.from_outside.value_or(ratios.wakeups));
  group.timer_wakeups_log_ratio = std::log(ratios.timer_wakeups);
  group.answers_log_ratio = std::log(ratios.answers);
  group.busy = ratios.busy;
  group.running_beside = ratios.running_beside;
  return group;
}

struct VerdictCase {
  std::string rule;
  ComparisonRow row;
  GroupChange group;
  Verdict verdict;
};

std::vector<VerdictCase> VerdictCases() {
  using S = Statistic;
  GroupChange added;
  added.added = true;
  GroupChange removed;
  removed.removed = true;
  ComparisonRow switches = Make(S::kSwitchRate, 2.5, 1.5);
  switches.base.value = 1000;
  switches.next.value = 1500;
  GroupChange preempted;
  preempted.preemptions = 450;
  GroupChange waits = preempted;
  waits.waits_longer_preempted = true;
  GroupChange few_preemptions;
  few_preemptions.preemptions = 100;
  const ComparisonRow dearer = Make(S::kCpuPerWakeup, 30, 1.5);
  const ComparisonRow cheaper = Make(S::kCpuPerWakeup, -30, 0.67);
  const ComparisonRow cpu_up = Make(S::kCpuRate, 100, 2);
  const ComparisonRow cpu_down = Make(S::kCpuRate, -100, 0.5);
  const ComparisonRow wakeups = Make(S::kWakeupRate, 10, 2);
  return {
      {"new_group", cpu_up, added, Verdict::kNew},
      {"gone_group", cpu_down, removed, Verdict::kGone},
      {"work_moved", cpu_down, Group({.cpu = 0.5, .running_beside = 60}), Verdict::kLess},
      {"work_moved", cheaper, Group({.cpu = 0.67, .running_beside = 60}), Verdict::kLess},
      {"time_to_spare", dearer, Group({.busy = 400}), Verdict::kUnchanged},
      {"fewer_handovers", dearer, Group({.wakeups = 0.67, .from_outside = 1}), Verdict::kUnchanged},
      {"dearer_wakeups", dearer, Group({.cpu = 1.2, .wakeups = 0.8, .from_outside = 0.9}),
       Verdict::kWorse},
      {"dearer_wakeups", dearer, Group({.wakeups = 0.67}), Verdict::kWorse},
      {"dearer_wakeups", dearer, Group({.busy = 600}), Verdict::kWorse},
      {"dearer_wakeups", dearer, Group({.cpu = 1.5, .busy = 400}), Verdict::kWorse},
      {"larger_batches", dearer, Group({.cpu = 0.8}), Verdict::kUnchanged},
      {"less_work_per_wakeup", cheaper, Group({.cpu = 0.67, .timer_wakeups = 0.67}),
       Verdict::kLess},
      {"less_work_per_wakeup", cheaper, Group({.timer_wakeups = 0.67}), Verdict::kUnchanged},
      {"less_work_per_wakeup", cheaper, Group({.requests = 0.67}), Verdict::kUnchanged},
      {"cheaper_wakeups", cheaper, Group({.cpu = 0.67}), Verdict::kBetter},
      {"cheaper_wakeups", cheaper, Group({.cpu = 1.5}), Verdict::kUnchanged},
      {"more_work", cpu_up, Group({.cpu = 2, .wakeups = 2}), Verdict::kMore},
      {"dearer_work", cpu_up, Group({.cpu = 2, .wakeups = 1.1}), Verdict::kWorse},
      {"dearer_work", cpu_up, Group({.cpu = 2, .wakeups = 10}), Verdict::kWorse},
      {"cheaper_work", cpu_down, Group({.cpu = 0.5, .running_beside = 40}), Verdict::kBetter},
      {"less_work", cpu_down, Group({.cpu = 0.5, .wakeups = 0.5}), Verdict::kLess},
      {"less_work", cpu_down, Group({.cpu = 0.5, .requests = 0.5}), Verdict::kLess},
      {"less_work", cpu_down, Group({.cpu = 0.5, .timer_wakeups = 0.5}), Verdict::kLess},
      {"fewer_events", Make(S::kWakeupRate, -10, 0.5), Group({}), Verdict::kLess},
      {"preemptions_without_waits", switches, preempted, Verdict::kUnchanged},
      {"asks_more", wakeups, Group({.answers = 2}), Verdict::kMore},
      {"events_without_work", wakeups, Group({.answers = 1.1}), Verdict::kWorse},
      {"events_without_work", switches, waits, Verdict::kWorse},
      {"events_without_work", switches, few_preemptions, Verdict::kWorse},
      {"events_without_work", wakeups, Group({}), Verdict::kWorse},
      {"events_of_work", wakeups, Group({.cpu = 2}), Verdict::kMore},
      {"machine_load", Make(S::kMachineLoad, 50, 2), Group({}), Verdict::kUnchanged},
      {"longer", Make(S::kBlockedRate, 50, 2), Group({}), Verdict::kWorse},
      {"shorter", Make(S::kBlockedRate, -50, 0.5), Group({}), Verdict::kBetter},
  };
}

TEST(VerdictRules, DecideTheirCases) {
  for (const VerdictCase& one : VerdictCases()) {
    ComparisonRow row = one.row;
    Judge(row, one.group);
    EXPECT_EQ(row.verdict_rule, one.rule);
    EXPECT_EQ(row.verdict, one.verdict) << one.rule;
  }
}

TEST(VerdictRules, HaveCases) {
  std::set<std::string> cases;
  for (const VerdictCase& one : VerdictCases()) cases.insert(one.rule);
  for (const VerdictRule& rule : VerdictRules()) {
    EXPECT_EQ(cases.count(rule.name), 1u) << rule.name;
    EXPECT_STRNE(rule.reason, "");
  }
  EXPECT_EQ(cases.size(), VerdictRules().size());
}

}  // namespace
}  // namespace comparison
