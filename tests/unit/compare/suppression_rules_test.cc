// SPDX-License-Identifier: BSD-2-Clause
#include "compare/suppression_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace comparison {
namespace {

ComparisonRow Make(Metric metric, Verdict verdict, double change, double ratio = 2) {
  ComparisonRow row;
  row.group = 0;
  row.metric = metric;
  row.statistic = StatisticsOf(metric)[0].statistic;
  row.verdict = verdict;
  row.change = change;
  row.ratio = {ratio, ratio, ratio};
  return row;
}

ComparisonRow MakePerWakeup(Verdict verdict, double change) {
  ComparisonRow row = Make(Metric::kCpuTime, verdict, change);
  row.statistic = Statistic::kCpuPerWakeup;
  return row;
}

std::vector<ComparisonRow> Suppressed(std::vector<ComparisonRow> rows,
                                      const SuppressionFacts& facts = {}) {
  std::vector<size_t> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  SuppressSymptoms(rows, numbers, facts);
  return rows;
}

// Findings of a group, of which the rule suppresses the first, or does not.
struct SuppressionCase {
  std::string rule;
  bool applies;
  std::vector<ComparisonRow> rows;
  SuppressionFacts facts = {};
};

std::vector<SuppressionCase> SuppressionCases() {
  using M = Metric;
  const auto worse = [](Metric metric, double change, double ratio = 2) {
    return Make(metric, Verdict::kWorse, change, ratio);
  };
  const auto better = [](Metric metric, double change) {
    return Make(metric, Verdict::kBetter, change, 0.5);
  };
  const auto more = [](Metric metric, double change) {
    return Make(metric, Verdict::kMore, change);
  };
  const ComparisonRow cheaper = better(M::kCpuTime, -60);
  ComparisonRow thread_sleep = worse(M::kSleep, 100);
  thread_sleep.statistic = Statistic::kSleepForThreads;
  ComparisonRow answers = worse(M::kSleep, 100);
  answers.statistic = Statistic::kAnswerMean;
  return {
      {"appears_or_disappears",
       true,
       {Make(M::kSleep, Verdict::kNew, 90), Make(M::kCpuTime, Verdict::kNew, 30)}},
      {"appears_or_disappears", false, {worse(M::kSleep, 90), worse(M::kCpuTime, 30)}},
      {"latency_after_blocked",
       true,
       {worse(M::kWakeupLatency, 10), worse(M::kBlocked, 30)},
       {.latency_after_blocked = 6}},
      {"wait_with_reason", true, {worse(M::kWakeupLatency, 100), worse(M::kAffinity, 60)}},
      {"wait_with_reason", true, {worse(M::kPreemptedWait, 100), worse(M::kRtThrottled, 60)}},
      {"wait_with_reason", false, {worse(M::kWakeupLatency, 100), worse(M::kAffinity, 40)}},
      {"latency_after_blocked",
       false,
       {worse(M::kWakeupLatency, 10), worse(M::kBlocked, 30)},
       {.latency_after_blocked = 4}},
      {"waits_of_more_wakeups",
       true,
       {worse(M::kWakeupLatency, 10), worse(M::kWakeups, 3, 10)},
       {.latency_log_ratio = std::log(20)}},
      {"waits_of_more_wakeups",
       false,
       {worse(M::kWakeupLatency, 10), worse(M::kWakeups, 3, 10)},
       {.latency_log_ratio = std::log(200)}},
      {"waits_of_more_wakeups",
       true,
       {worse(M::kPreemptedWait, 10), worse(M::kWakeups, 3, 10)},
       {.preempted_log_ratio = std::log(20)}},
      {"waits_of_more_wakeups",
       false,
       {worse(M::kPreemptedWait, 10), worse(M::kWakeups, 3, 10)},
       {.preempted_log_ratio = std::log(200)}},
      {"waits_of_more_running",
       true,
       {worse(M::kPreemptedWait, 100), worse(M::kCpuTime, 60)},
       {.preempted_log_ratio = std::log(200)}},
      {"waits_of_more_running",
       true,
       {worse(M::kPreemptedWait, 100), worse(M::kCpuTime, 10)},
       {.preempted_log_ratio = std::log(3)}},
      {"waits_of_more_running",
       false,
       {worse(M::kPreemptedWait, 100), worse(M::kCpuTime, 40)},
       {.preempted_log_ratio = std::log(200)}},
      {"waits_of_more_wakeups",
       true,
       {better(M::kWakeupLatency, -10), Make(M::kWakeups, Verdict::kLess, -3, 0.3)},
       {.latency_log_ratio = std::log(0.2)}},
      // Each wakeup waits less as well.
      {"waits_of_more_wakeups",
       false,
       {better(M::kWakeupLatency, -10), Make(M::kWakeups, Verdict::kLess, -3, 0.8)},
       {.latency_log_ratio = std::log(0.1)}},
      {"waits_of_more_running",
       true,
       {worse(M::kWakeupLatency, 100), worse(M::kCpuTime, 10)},
       {.latency_log_ratio = std::log(3)}},
      // A thread that runs more by little may wait for another reason.
      {"waits_of_more_running",
       false,
       {worse(M::kWakeupLatency, 100), worse(M::kCpuTime, 60)},
       {.latency_log_ratio = std::log(200)}},
      {"waits_for_cpu_elsewhere", true, {better(M::kPreemptedWait, -30)}, {.runnable = 80}},
      {"waits_for_cpu_elsewhere", false, {better(M::kPreemptedWait, -30)}, {.runnable = -25}},
      {"waits_for_cpu_elsewhere", false, {worse(M::kPreemptedWait, 30)}, {.runnable = -25}},
      {"migrations_of_more_running", true, {worse(M::kMigrations, 4, 5), more(M::kCpuTime, 100)}},
      {"migrations_of_more_running", false, {worse(M::kMigrations, 9, 5), more(M::kCpuTime, 100)}},
      {"sleep_in_slack", true, {worse(M::kSleep, 100), cheaper}},
      {"sleep_in_slack", true, {worse(M::kSleep, 100)}, {.slack = 60}},
      {"sleep_in_slack", false, {answers, cheaper}},
      // It has less work.
      {"sleep_in_slack", false, {worse(M::kSleep, 100), cheaper}, {.slowed = true}},
      // Less waiting that is not significant is no slack.
      {"sleep_in_slack", false, {worse(M::kSleep, 100)}, {.runnable = -60}},
      {"sleep_in_slack", false, {thread_sleep}, {.slack = 60}},
      {"sleep_in_slack", false, {thread_sleep, cheaper}},
      {"sleep_taken_by_work", true, {better(M::kSleep, -50), more(M::kCpuTime, 60)}},
      {"sleep_taken_by_work", true, {better(M::kSleep, -50)}, {.running = 40}},
      {"sleep_taken_by_work",
       true,
       {better(M::kSleep, -50), worse(M::kPreemptedWait, 40)},
       {.running = 40}},
      {"sleep_taken_by_work", false, {better(M::kSleep, -50)}},
      {"sleep_taken_by_work", false, {better(M::kSleep, -50), cheaper}},
      {"switches_of_waits", true, {worse(M::kSwitches, 5), worse(M::kWakeups, 4)}},
      {"switches_of_waits", false, {worse(M::kSwitches, 5), better(M::kBlocked, -4)}},
      {"migrations_of_wakeups", true, {worse(M::kMigrations, 5), worse(M::kWakeups, 4)}},
      {"migrations_of_wakeups", false, {worse(M::kMigrations, 5, 100), worse(M::kWakeups, 4, 1.2)}},
      {"cheaper_mean_of_more_events",
       true,
       {MakePerWakeup(Verdict::kBetter, -10), more(M::kForks, 5)}},
      {"cheaper_mean_of_more_events",
       false,
       {MakePerWakeup(Verdict::kWorse, 10), more(M::kForks, 5)}},
      {"dearer_mean_of_fewer_wakeups",
       true,
       {MakePerWakeup(Verdict::kWorse, 100), thread_sleep},
       {.running = 40}},
      // It runs longer as well.
      {"dearer_mean_of_fewer_wakeups",
       false,
       {MakePerWakeup(Verdict::kWorse, 100), thread_sleep},
       {.running = 60}},
      // It waits for something else.
      {"dearer_mean_of_fewer_wakeups",
       false,
       {MakePerWakeup(Verdict::kWorse, 100), worse(M::kSleep, 100)},
       {.running = 40}},
      {"wakeups_of_work", true, {more(M::kWakeups, 5), more(M::kCpuTime, 50)}},
      {"wakeups_of_work", false, {worse(M::kWakeups, 5), more(M::kCpuTime, 50)}},
      {"system_call_of_its_activity", true, {worse(M::kSyscallTime, 9), worse(M::kBlocked, 8)}},
      {"system_call_of_its_activity", false, {worse(M::kSyscallTime, 9), cheaper}},
      {"part_of_another_metric", true, {worse(M::kSlice, 5), worse(M::kCpuTime, 30)}},
      {"part_of_another_metric", true, {worse(M::kSlice, 5)}},
      {"part_of_another_metric", false, {worse(M::kBlocked, 5), worse(M::kCpuTime, 30)}},
  };
}

TEST(SuppressionRules, SuppressTheFirstRowOfTheirCases) {
  for (const SuppressionCase& one : SuppressionCases()) {
    SCOPED_TRACE(one.rule);
    const ComparisonRow row = Suppressed(one.rows, one.facts)[0];
    const std::string rule = row.suppression_rule == nullptr ? "" : row.suppression_rule;
    if (!one.applies) {
      EXPECT_NE(rule, one.rule);
      continue;
    }
    EXPECT_EQ(rule, one.rule);
    EXPECT_NE(row.suppressed_by.has_value(), row.verdict == Verdict::kUnchanged);
  }
}

TEST(SuppressionRules, HaveCasesForAndAgainst) {
  std::map<std::string, std::set<bool>> cases;
  for (const SuppressionCase& one : SuppressionCases()) cases[one.rule].insert(one.applies);
  for (const SuppressionRule& rule : SuppressionRules()) {
    EXPECT_EQ(cases[rule.name].size(), 2u) << rule.name;
    EXPECT_STRNE(rule.reason, "");
  }
  EXPECT_EQ(cases.size(), SuppressionRules().size());
}

TEST(SuppressionRules, NewGroupHasOneFinding) {
  const auto rows =
      Suppressed({Make(Metric::kSlice, Verdict::kNew, 2), Make(Metric::kCpuTime, Verdict::kNew, 30),
                  Make(Metric::kBlocked, Verdict::kNew, 90)});
  EXPECT_EQ(rows[0].suppressed_by, 1U);
  EXPECT_FALSE(rows[1].suppressed_by);
  EXPECT_EQ(rows[2].suppressed_by, 1U);
  // No other rule drops it.
  EXPECT_EQ(Suppressed({Make(Metric::kSlice, Verdict::kNew, 2)})[0].verdict, Verdict::kNew);
}

TEST(SuppressionRules, SymptomOfASymptomHasTheFirstCause) {
  const auto rows = Suppressed({Make(Metric::kSwitches, Verdict::kWorse, 2),
                                Make(Metric::kWakeups, Verdict::kMore, 2),
                                Make(Metric::kCpuTime, Verdict::kMore, 50)});
  EXPECT_EQ(rows[1].suppressed_by, 2U);
  EXPECT_EQ(rows[0].suppressed_by, 2U);
}

}  // namespace
}  // namespace comparison
