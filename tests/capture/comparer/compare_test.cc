// SPDX-License-Identifier: BSD-2-Clause
// The comparison finds each kind of difference, and a blind spot covers no more than its
// definition.
#include "capture/ftrace/compare.h"

#include <gtest/gtest.h>

#include <functional>

#include "capture/comparer/made_logs.h"
#include "capture/ftrace/tracefs/event_format.h"

namespace truth {
namespace {

TEST(Compare, FindsNothingWhereNothingDiffers) {
  const SwitchLog reference = Reference(40);
  const Comparison comparison = Compare(reference, Recording(reference), {});
  EXPECT_TRUE(comparison.exact()) << comparison.Describe({});
  EXPECT_EQ(comparison.total.matched, 40u);
  EXPECT_EQ(comparison.most_delta_ns, 300);
}

struct Spoiled {
  const char* what;
  std::function<void(FxtLog*)> spoil;
  uint64_t CpuComparison::*count;
  uint64_t expected;
};

TEST(Compare, FindsEachKindOfDifference) {
  const auto at = [](FxtLog* log) -> std::vector<Switch>& { return log->log.cpus[0]; };
  const std::vector<Spoiled> cases = {
      {"missing", [&](FxtLog* log) { at(log).erase(at(log).begin() + 20); },
       &CpuComparison::missing, 1},
      {"gap", [&](FxtLog* log) { at(log).erase(at(log).begin() + 20); },
       &CpuComparison::recorded_gaps, 1},
      {"first missing", [&](FxtLog* log) { at(log).erase(at(log).begin()); },
       &CpuComparison::missing, 1},
      {"last missing", [&](FxtLog* log) { at(log).pop_back(); }, &CpuComparison::missing, 1},
      {"many missing",
       [&](FxtLog* log) { at(log).erase(at(log).begin() + 8, at(log).begin() + 25); },
       &CpuComparison::missing, 17},
      {"all missing", [&](FxtLog* log) { at(log).clear(); }, &CpuComparison::missing, 40},
      {"extra", [&](FxtLog* log) { at(log).insert(at(log).begin() + 20, at(log)[20]); },
       &CpuComparison::extra, 1},
      {"late", [&](FxtLog* log) { at(log)[20].time_ns += 20'001; }, &CpuComparison::late, 1},
      {"early", [&](FxtLog* log) { at(log)[20].time_ns -= 21'000; }, &CpuComparison::late, 1},
      {"other task", [&](FxtLog* log) { at(log)[20].prev_tid = 555; }, &CpuComparison::missing, 1},
      {"state", [&](FxtLog* log) { at(log)[20].prev_state = 'D'; }, &CpuComparison::wrong_state, 1},
      {"preempted", [&](FxtLog* log) { at(log)[20].prev_state = StateLetters::kPreempted; },
       &CpuComparison::wrong_state, 1},
      {"priority", [&](FxtLog* log) { at(log)[20].prev_priority = 119; },
       &CpuComparison::wrong_priority, 1},
      {"idle priority", [&](FxtLog* log) { at(log)[21].prev_priority = 120; },
       &CpuComparison::wrong_priority, 1},
      {"name", [&](FxtLog* log) { at(log)[20].prev_name = log->log.names.Intern("other"); },
       &CpuComparison::wrong_name, 1},
      {"mark without a gap",
       [&](FxtLog* log) {
         log->unseen.assign(3, {20 * kStepNs, 0});
       },
       &CpuComparison::unmarked_gaps, 3},
  };
  const SwitchLog reference = Reference(40);
  for (const Spoiled& spoiled : cases) {
    FxtLog recorded = Recording(reference);
    spoiled.spoil(&recorded);
    const Comparison comparison = Compare(reference, recorded, {});
    EXPECT_FALSE(comparison.exact()) << spoiled.what;
    EXPECT_EQ(comparison.total.*spoiled.count, spoiled.expected) << spoiled.what << "\n"
                                                                 << comparison.Describe({});
  }
}

TEST(Compare, DistinguishesAnUntracedIdleSwitchFromALostSwitch) {
  SwitchLog reference = Reference(40);
  const FxtLog recorded = Recording(reference);
  std::erase_if(reference.cpus[0], [](const Switch& s) { return s.prev_tid == 0; });
  CompareOptions options;
  options.blind = DetectBlindSpots(reference, recorded.log);
  EXPECT_EQ(options.blind.idle_cpus, std::set<uint32_t>{0});
  Comparison comparison = Compare(reference, recorded, options);
  EXPECT_TRUE(comparison.exact()) << comparison.Describe(options);
  EXPECT_EQ(comparison.total.blind_idle, 20u);

  // One switch out of idle shows that the reference sees them.
  reference = Reference(40);
  bool first = true;
  std::erase_if(reference.cpus[0],
                [&](const Switch& s) { return s.prev_tid == 0 && !std::exchange(first, false); });
  options.blind = DetectBlindSpots(reference, recorded.log);
  EXPECT_TRUE(options.blind.idle_cpus.empty());
  comparison = Compare(reference, recorded, options);
  EXPECT_FALSE(comparison.exact());
  EXPECT_EQ(comparison.total.reference_gaps, 18u);
}

TEST(Compare, KnowsPid1FromALostSwitch) {
  SwitchLog reference = Reference(40);
  reference.init_tids = {1, 101};
  FxtLog recorded = Recording(reference);
  for (SwitchLog* log : {&reference, &recorded.log}) {
    std::erase_if(log->cpus[0], [](const Switch& s) { return s.prev_tid == 101; });
  }
  for (uint64_t i = 0; i < 10; ++i) recorded.unseen.push_back({(13 + 4 * i) * kStepNs, 0});
  CompareOptions options;
  options.blind = DetectBlindSpots(reference, recorded.log);
  EXPECT_TRUE(options.blind.init);
  const Comparison comparison = Compare(reference, recorded, options);
  EXPECT_TRUE(comparison.exact()) << comparison.Describe(options);
  EXPECT_EQ(comparison.total.blind_init, 10u);
  // Without the marks the file would claim continuity.
  recorded.unseen.clear();
  EXPECT_EQ(Compare(reference, recorded, options).total.unmarked_gaps, 10u);
}

TEST(Compare, RecognisesPid1AfterAnUntracedIdleSwitch) {
  // ftrace sees no switch out of idle, so it does not see PID 1 enter after it.
  SwitchLog reference = Reference(40);
  reference.init_tids = {1, 101};
  FxtLog recorded = Recording(reference);
  std::erase_if(recorded.log.cpus[0], [](const Switch& s) { return s.prev_tid == 101; });
  std::erase_if(reference.cpus[0], [](const Switch& s) {
    return s.prev_tid == 0 || s.prev_tid == 101 || s.next_tid == 101;
  });
  for (uint64_t i = 0; i < 10; ++i) recorded.unseen.push_back({(13 + 4 * i) * kStepNs, 0});
  CompareOptions options;
  options.blind = DetectBlindSpots(reference, recorded.log);
  EXPECT_TRUE(options.blind.init);
  Comparison comparison = Compare(reference, recorded, options);
  EXPECT_TRUE(comparison.exact()) << comparison.Describe(options);
  EXPECT_EQ(comparison.total.blind_init, 10u);
  // One switch out of PID 1 on either side shows that it is visible.
  recorded = Recording(reference);
  recorded.log.cpus[0].push_back(Reference(40).cpus[0][2]);
  EXPECT_FALSE(DetectBlindSpots(reference, recorded.log).init);
}

TEST(Compare, KnowsChildrenOfPid1FromLostSwitches) {
  // Thread 101 does not exist at the beginning and has no birth event.
  SwitchLog reference = Reference(40);
  reference.first_tids = {100};
  FxtLog recorded = Recording(reference);
  std::erase_if(reference.cpus[0], [](const Switch& s) { return s.prev_tid == 101; });
  CompareOptions options;
  options.blind.init = true;
  Comparison comparison = Compare(reference, recorded, options);
  EXPECT_TRUE(comparison.exact()) << comparison.Describe(options);
  EXPECT_EQ(comparison.total.blind_children, 10u);
  // After an exec it is a normal task.
  reference.renames = {{20 * kStepNs, 0, 101, 101, 2, 2}};
  comparison = Compare(reference, recorded, options);
  EXPECT_GT(comparison.total.reference_gaps, 0u);
  EXPECT_GT(comparison.total.extra, 0u);
  // With a birth event, or if PID 1 is no blind spot, it is a normal task.
  reference.renames.clear();
  reference.births = {{kStepNs, 100, 101}};
  EXPECT_FALSE(Compare(reference, recorded, options).exact());
  reference.births.clear();
  EXPECT_FALSE(Compare(reference, recorded, {}).exact());
}

TEST(Compare, KnowsATaskIdTakenOver) {
  // The task enters as 101 and leaves as 102: thread 101 called exec and replaced leader 102, or
  // leader 101 had to exit.
  SwitchLog reference = Reference(40);
  reference.cpus[0][2].prev_tid = 102;
  const FxtLog recorded = Recording(reference);
  EXPECT_EQ(Compare(reference, recorded, {}).total.recorded_gaps, 1u);
  const uint64_t after = 30 * kStepNs;
  for (const auto& [old_tid, tid] : {std::pair(101, 102), std::pair(102, 101)}) {
    reference.takeovers = {{after, old_tid, tid}};
    const Comparison comparison = Compare(reference, recorded, {});
    EXPECT_TRUE(comparison.exact()) << comparison.Describe({});
    EXPECT_EQ(comparison.total.takeovers, 1u);
  }
  reference.takeovers = {{after, 103, 102}};
  EXPECT_FALSE(Compare(reference, recorded, {}).exact());
  // An exec before the switch explains nothing.
  reference.takeovers = {{5 * kStepNs, 101, 102}};
  EXPECT_FALSE(Compare(reference, recorded, {}).exact());
}

TEST(Compare, RecognisesALeaderWhoseIdWasTakenBetweenTwoReads) {
  SwitchLog reference = Reference(40);
  reference.cpus[0][20].prev_state = 'Z';
  FxtLog recorded = Recording(reference);
  recorded.log.cpus[0][20].prev_tid = 103;
  recorded.log.cpus[0][20].prev_state = 'X';
  reference.takeovers = {{50 * kStepNs, 103, reference.cpus[0][20].prev_tid}};
  const Comparison comparison = Compare(reference, recorded, {});
  EXPECT_EQ(comparison.total.missing, 0u) << comparison.Describe({});
  EXPECT_EQ(comparison.total.extra, 0u);
  // Only an ending task may differ.
  reference.cpus[0][20].prev_state = recorded.log.cpus[0][20].prev_state = 'S';
  EXPECT_EQ(Compare(reference, recorded, {}).total.missing, 1u);
}

TEST(Compare, KnowsAPauseByTheSecondStamp) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  recorded.log.cpus[0][20].time_ns += 50'000;
  EXPECT_EQ(Compare(reference, recorded, {}).total.late, 1u);
  reference.second_stamps.resize(1);
  for (const Switch& s : reference.cpus[0]) {
    reference.second_stamps[0].push_back({s.time_ns + 600, s.prev_tid, s.next_tid});
  }
  EXPECT_EQ(Compare(reference, recorded, {}).total.late, 1u);
  reference.second_stamps[0][20].time_ns += 50'000;
  const Comparison comparison = Compare(reference, recorded, {});
  EXPECT_EQ(comparison.total.late, 0u);
  EXPECT_EQ(comparison.total.pauses, 1u);
  EXPECT_TRUE(comparison.exact());
  // A time before that of ftrace is late.
  recorded.log.cpus[0][20].time_ns -= 100'000;
  EXPECT_EQ(Compare(reference, recorded, {}).total.late, 1u);
}

TEST(Compare, KnowsAPauseAcrossTheEndsOfTheWindow) {
  SwitchLog reference = Reference(40);
  reference.second_stamps.resize(1);
  for (const Switch& s : reference.cpus[0]) {
    reference.second_stamps[0].push_back({s.time_ns + 600, s.prev_tid, s.next_tid});
  }
  FxtLog recorded = Recording(reference);
  CompareOptions options;
  options.window = {(10 + 5) * kStepNs + 100'000, (10 + 30) * kStepNs + 100'000};
  EXPECT_EQ(Compare(reference, recorded, options).total.matched, 25u);
  // At the begin of the window, the time of ftrace lies outside; at the end, that of the recording.
  for (const size_t at : {5, 30}) {
    recorded.log.cpus[0][at].time_ns += 200'000;
    const Comparison unproven = Compare(reference, recorded, options);
    EXPECT_EQ(unproven.total.differences(), 1u) << at << ": " << unproven.Describe(options);
    reference.second_stamps[0][at].time_ns += 200'000;
    const Comparison proven = Compare(reference, recorded, options);
    EXPECT_TRUE(proven.exact()) << at << ": " << proven.Describe(options);
  }
  const Comparison both = Compare(reference, recorded, options);
  EXPECT_EQ(both.total.pauses, 2u);
  EXPECT_EQ(both.total.reference, 26u);
  EXPECT_EQ(both.total.matched, 26u);
  // A missing switch at the end does not match a later one.
  recorded.log.cpus[0].erase(recorded.log.cpus[0].begin() + 30);
  EXPECT_EQ(Compare(reference, recorded, options).total.missing, 1u);
}

TEST(Compare, CountsLossesAmongAlternatingTasks) {
  SwitchLog reference = Reference(400);
  FxtLog recorded = Recording(reference);
  reference.second_stamps.resize(1);
  for (const Switch& s : reference.cpus[0]) {
    reference.second_stamps[0].push_back({s.time_ns + 600, s.prev_tid, s.next_tid});
  }
  auto& switches = recorded.log.cpus[0];
  switches.erase(switches.begin() + 20, switches.begin() + 300);
  recorded.losses = {{30 * kStepNs, 0, 280, "sched"}};
  const Comparison comparison = Compare(reference, recorded, {});
  EXPECT_EQ(comparison.total.missing, 280u) << comparison.Describe({});
  EXPECT_EQ(comparison.total.matched, 120u);
  EXPECT_EQ(comparison.total.extra, 0u);
  EXPECT_EQ(comparison.total.late, 0u);
}

TEST(Compare, KnowsACpuThatWasOffline) {
  SwitchLog reference = Reference(40);
  const uint32_t stopper = reference.names.Intern("migration/0");
  // 100 is replaced by the stopper, and the next visible switch leaves idle.
  reference.cpus[0][4].next_tid = 17;
  reference.cpus[0][4].next_name = stopper;
  FxtLog recorded = Recording(reference);
  Comparison comparison = Compare(reference, recorded, {});
  EXPECT_TRUE(comparison.exact()) << comparison.Describe({});
  EXPECT_EQ(comparison.total.offline, 1u);
  // Only the recording has the gap, so the CPU was not offline.
  SwitchLog whole = Reference(40);
  whole.cpus = reference.cpus;
  whole.names.Intern("migration/0");
  Switch to_idle = whole.cpus[0][4];
  to_idle.time_ns += kStepNs / 2;
  to_idle.prev_tid = 17;
  to_idle.prev_name = stopper;
  to_idle.next_tid = 0;
  whole.cpus[0].insert(whole.cpus[0].begin() + 5, to_idle);
  EXPECT_FALSE(Compare(whole, recorded, {}).exact());
  // A thread other than a stopper.
  reference.cpus[0][4].next_name = reference.names.Intern("migrating");
  recorded = Recording(reference);
  EXPECT_EQ(Compare(reference, recorded, {}).total.recorded_gaps, 1u);
}

TEST(Compare, TakesAWokenTaskForOneThatSlept) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  recorded.log.cpus[0][20].prev_state = 'W';
  for (const auto& [state, allowed] :
       {std::pair('S', true), std::pair('D', true), std::pair('R', true), std::pair('Z', false),
        std::pair('T', false)}) {
    reference.cpus[0][20].prev_state = state;
    EXPECT_EQ(Compare(reference, recorded, {}).total.wrong_state, allowed ? 0u : 1u) << state;
  }
}

TEST(Compare, FindsAKoidThatTwoTasksShare) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  reference.births = {{30 * kStepNs - 1, 7, 100}};
  EXPECT_EQ(Compare(reference, recorded, {}).confused_incarnations, 1u);
  EXPECT_EQ(Compare(reference, recorded, {}).reused_tids, 1u);
  for (Switch& s : recorded.log.cpus[0]) {
    if (s.time_ns < 30 * kStepNs) continue;
    s.prev_generation = s.prev_tid == 100;
    s.next_generation = s.next_tid == 100;
  }
  EXPECT_EQ(Compare(reference, recorded, {}).confused_incarnations, 0u);
}

}  // namespace
}  // namespace truth
