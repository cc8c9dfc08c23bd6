// SPDX-License-Identifier: BSD-2-Clause
#include "compare/change_rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace comparison {
namespace {

SideSummary Make(double value, const Detail& detail = {}) {
  SideSummary side;
  side.value = value;
  side.detail = detail;
  return side;
}

// Long sleeps of 100 ms per second, in a group that wakes 100 times a second.
LongSleepDetail Sleeps() {
  return {.with_cut_ms = 100, .asleep_ms = 500, .timer_ms = 10, .wakeups = 100};
}

struct ChangeCase {
  std::string rule;
  Statistic statistic;
  SideSummary base;
  SideSummary next;
  double change;
};

std::vector<ChangeCase> ChangeCases() {
  using S = Statistic;
  const auto waits = [](double ms, double events) {
    return Make(0, MeanDetail{.total_ms = ms, .events = events});
  };
  const auto threads_end = [](double value, double timer_ms, double timer_sleeps, double wakeups) {
    return Make(value, ThreadSleepDetail{timer_ms, timer_sleeps, wakeups});
  };
  const auto answers = [](double ms, double events, double cpu_ms) {
    return Make(0, AnswerDetail{.total_ms = ms, .events = events, .cpu_ms = cpu_ms});
  };
  const auto own_answers = [](double ms, double wakeups) {
    return Make(0, AnswerDetail{.total_ms = ms,
                                .events = wakeups,
                                .cpu_ms = wakeups - 1,
                                .wakeups = wakeups,
                                .own_part = 1});
  };
  const LongSleepDetail sleeps = Sleeps();
  LongSleepDetail longer = sleeps;
  longer.with_cut_ms = 200;
  LongSleepDetail more_threads = longer;
  more_threads.threads = 2;
  LongSleepDetail fewer_wakeups = longer;
  fewer_wakeups.wakeups = 50;
  fewer_wakeups.asleep_ms = 530;
  LongSleepDetail by_timer = fewer_wakeups;
  by_timer.timer_ms = 70;
  LongSleepDetail paced = sleeps;
  paced.timer_ms = 400;
  paced.timer_sleep_ms = 10;
  LongSleepDetail slower = paced;
  slower.with_cut_ms = 200;
  slower.wakeups = 50;
  slower.timer_sleeps = 50;
  slower.timer_sleep_ms = 12;
  LongSleepDetail per_run = longer;
  per_run.per_run = true;
  per_run.asleep_ms = 510;
  LongSleepDetail less_often = sleeps;
  less_often.asleep_ms = 440;
  less_often.with_cut_ms = 20;
  less_often.wakeups = 50;
  // The longer ones are idle timeouts of another thread.
  LongSleepDetail asked = paced;
  LongSleepDetail slower_asked = slower;
  asked.requests = slower_asked.requests = 50;
  return {
      {"answer_without_events", S::kAnswerMean, answers(10, 100, 5), answers(0, 0, 5), 0},
      // Fewer answers in a closed loop, each with the same work of the client.
      {"later_answers", S::kAnswerMean, answers(800, 800, 79), answers(900, 450, 44), 450},
      // Fewer wakeups, and longer sleeps until own threads end them.
      {"answers_of_own_threads", S::kAnswerMean, own_answers(100, 100), own_answers(200, 80), 0},
      {"answers_of_own_threads", S::kAnswerMean, own_answers(200, 80), own_answers(100, 100), 0},
      {"later_answers", S::kAnswerMean, own_answers(100, 100), own_answers(200, 100), 100},
      // Half of the answers come while the client is busy.
      {"later_answers", S::kAnswerMean, answers(100, 100, 99), answers(110, 50, 99), 10},
      {"mean_without_events", S::kLatencyMean, waits(10, 100), waits(0, 0), 0},
      {"mean_of_runs", S::kCpuPerWakeup, waits(100, 100), waits(300, 200), 100},
      // Short waits became rare: at most the change of the sum counts.
      {"mean_of_waits", S::kLatencyMean, waits(10, 100), waits(12, 50), 2},
      {"mean_of_waits", S::kLatencyMean, waits(10, 100), waits(9, 50), 0},
      {"requested_more_often", S::kSleepForThreads, threads_end(50, 500, 100, 100),
       threads_end(150, 400, 100, 120), 0},
      {"timer_sleeps_given_up", S::kSleepForThreads, threads_end(50, 500, 100, 100),
       threads_end(150, 400, 20, 100), 0},
      {"waits_in_place_of_timer_sleeps", S::kSleepForThreads, threads_end(50, 500, 100, 100),
       threads_end(150, 420, 100, 100), 80},
      {"waits_in_place_of_timer_sleeps", S::kSleepForThreads, threads_end(150, 400, 100, 100),
       threads_end(50, 500, 100, 100), 0},
      {"locks_of_less_work", S::kLockRate, Make(100, LockDetail{100}), Make(150, LockDetail{50}),
       50},
      {"locks_of_less_work", S::kLockRate, Make(100, LockDetail{100}), Make(50, LockDetail{50}), 0},
      {"locks_of_less_work", S::kLockRate, Make(100, LockDetail{100}), Make(30, LockDetail{50}), 0},
      {"locks_of_less_work", S::kLockRate, Make(100, LockDetail{100}), Make(30, LockDetail{200}),
       -70},
      // Half of the requests, each with three times the pauses.
      {"longer_pauses", S::kPauseRate, Make(100, PauseDetail{100}), Make(150, PauseDetail{50}), 50},
      // More requests with the same pauses each.
      {"longer_pauses", S::kPauseRate, Make(100, PauseDetail{100}), Make(200, PauseDetail{200}), 0},
      {"longer_pauses", S::kPauseRate, Make(200, PauseDetail{100}), Make(100, PauseDetail{100}), 0},
      {"same_work_for_more_threads", S::kSleepExcessP50, Make(100, sleeps), Make(200, more_threads),
       0},
      // More sleeps that are shorter.
      {"shorter_sleeps", S::kSleepExcessP50, Make(200, longer), Make(100, sleeps), 0},
      {"shorter_sleeps", S::kSleepExcessP50, Make(200, sleeps), Make(100, less_often), 0},
      {"as_many_wakeups", S::kSleepExcessP50, Make(100, sleeps), Make(180, longer), 80},
      // A long sleep that both edges cut became two.
      {"as_many_wakeups", S::kSleepExcessP50, Make(100, sleeps), Make(180, sleeps), 0},
      {"longer_timer_sleeps", S::kSleepExcessP50, Make(100, sleeps), Make(200, by_timer), 100},
      {"slower_pace", S::kSleepExcessP50, Make(100, paced), Make(200, slower), 100},
      {"less_work", S::kSleepExcessP50, Make(100, asked), Make(200, slower_asked), 0},
      {"less_work", S::kSleepExcessP50, Make(100, sleeps), Make(200, fewer_wakeups), 30},
      {"less_work", S::kSleepExcessP50, Make(100, sleeps), Make(200, per_run), 10},
      {"time_in_d", S::kBlockedCount, Make(5, BlockedDetail{10}), Make(9, BlockedDetail{40}), 30},
      {"time_in_d", S::kBlockedRate, Make(10, BlockedDetail{10, 2}),
       Make(40, BlockedDetail{40, 22}), 50},
      {"time_in_d", S::kBlockedRate, Make(10, BlockedDetail{10, 22}),
       Make(40, BlockedDetail{40, 2}), 30},
      {"all_waits_for_cpu", S::kLatencyRunnable, Make(50, CpuWaitDetail{30, 20}),
       Make(100, CpuWaitDetail{70, 30}), 50},
      {"all_waits_for_cpu", S::kPreemptedRunnable, Make(50, CpuWaitDetail{20, 30}),
       Make(100, CpuWaitDetail{30, 70}), 0},
      // A closed loop has fewer requests that take longer.
      {"request_time", S::kRequestP50, Make(1000, RequestDetail{100, 100}),
       Make(3000, RequestDetail{100, 50}), 100},
      {"request_time", S::kRequestP99, Make(1000, RequestDetail{100, 100}),
       Make(3000, RequestDetail{100, 50}), 1},
      {"elapsed_time", S::kElapsedTime, Make(200), Make(300), 500},
      {"cost_of_events", S::kSwitchRate, Make(1000), Make(3000), 10},
      {"cost_of_events", S::kCpuRate, Make(100), Make(130), 30},
  };
}

// The first rule with an answer.
const ChangeRule* RuleOf(const ChangeCase& one) {
  for (const ChangeRule& rule : ChangeRules()) {
    if (rule.change(InfoOf(one.statistic), one.base, one.next, rule.constant)) return &rule;
  }
  return nullptr;
}

TEST(ChangeRules, DecideTheirCases) {
  for (const ChangeCase& one : ChangeCases()) {
    const ChangeRule* rule = RuleOf(one);
    ASSERT_NE(rule, nullptr) << one.rule;
    EXPECT_EQ(rule->name, one.rule);
    EXPECT_NEAR(ChangeOf(InfoOf(one.statistic), one.base, one.next), one.change, 1e-9) << one.rule;
  }
}

TEST(ChangeRules, HaveCases) {
  std::set<std::string> cases;
  for (const ChangeCase& one : ChangeCases()) cases.insert(one.rule);
  for (const ChangeRule& rule : ChangeRules()) {
    EXPECT_EQ(cases.count(rule.name), 1u) << rule.name;
    EXPECT_STRNE(rule.reason, "");
  }
  EXPECT_EQ(cases.size(), ChangeRules().size());
}

SideSummary WaitsOutOfScope(double wait_ms, double threads) {
  SideSummary side;
  side.out_of_scope = {wait_ms, threads};
  return side;
}

TEST(OutOfScopeChange, IsThatOfNewWorkOfTheMachine) {
  EXPECT_NEAR(OutOfScopeChange(WaitsOutOfScope(1, 0.05), WaitsOutOfScope(300, 2)), 299, 1);
  EXPECT_NEAR(OutOfScopeChange(WaitsOutOfScope(300, 2), WaitsOutOfScope(1, 0.05)), -299, 1);
}

TEST(OutOfScopeChange, IsNothingWithoutMoreWorkOfTheMachine) {
  EXPECT_EQ(OutOfScopeChange(WaitsOutOfScope(100, 1), WaitsOutOfScope(300, 1)), 0);
  EXPECT_EQ(OutOfScopeChange(WaitsOutOfScope(100, 1), WaitsOutOfScope(300, 0.8)), 0);
}

// Whatever others do: the group may want the CPU less.
TEST(OutOfScopeChange, IsAllOfAShorterWait) {
  EXPECT_EQ(OutOfScopeChange(WaitsOutOfScope(300, 1), WaitsOutOfScope(100, 1.2)), -200);
  EXPECT_EQ(OutOfScopeChange(WaitsOutOfScope(300, 1), WaitsOutOfScope(100, 1)), -200);
}

TEST(OutOfScopeChange, GrowsWithTheSquareOfTheWork) {
  // Twice the work explains three quarters of the new waits, and at most their change.
  EXPECT_NEAR(OutOfScopeChange(WaitsOutOfScope(10, 1), WaitsOutOfScope(400, 2)), 300, 1e-9);
  EXPECT_NEAR(OutOfScopeChange(WaitsOutOfScope(350, 1), WaitsOutOfScope(400, 2)), 50, 1e-9);
}

TEST(LargestChange, IsTheLargerSide) {
  EXPECT_EQ(LargestChange(InfoOf(Statistic::kCpuRate), Make(3), Make(5)), 5);
  EXPECT_EQ(LargestChange(InfoOf(Statistic::kBlockedCount), Make(3, BlockedDetail{70}),
                          Make(5, BlockedDetail{60})),
            70);
}

}  // namespace
}  // namespace comparison
