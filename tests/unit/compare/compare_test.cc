// SPDX-License-Identifier: BSD-2-Clause
// Findings in captures with a change, and in captures without one.
#include "compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::At;
using testing::Find;
using testing::Simulator;
using testing::Work;

constexpr uint64_t kMs = 1'000'000;

DiffReport Diff(DiffInput input) {
  auto report = Compare(std::move(input));
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? std::move(*report) : DiffReport();
}

// Five captures a side of a worker, changed by `change`, beside a thread that stays as it is.
DiffReport DiffOf(const std::function<void(Work&)>& change, size_t count = 5) {
  Work worker;
  Work other;
  other.thread = "other";
  Work changed = worker;
  change(changed);
  return Diff(Simulator(11).Sides({worker, other}, {changed, other}, count));
}

TEST(CompareTest, FindsNothingInEqualCaptures) {
  const DiffReport report = DiffOf([](Work&) {});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.confirmed);
  EXPECT_TRUE(report.paired);
  EXPECT_FALSE(report.worse());
}

TEST(CompareTest, MoreCpuForTheSameWorkIsWorse) {
  const DiffReport report = DiffOf([](Work& work) { work.cpu_ms *= 1.8; });
  ASSERT_NE(At(report, 1), nullptr);
  const ComparisonRow& row = *At(report, 1);
  EXPECT_EQ(report.groups[*row.group].name.thread, "worker");
  EXPECT_EQ(row.metric, Metric::kCpuTime);
  EXPECT_EQ(row.verdict, Verdict::kWorse);
  EXPECT_TRUE(report.worse());
  EXPECT_NEAR(row.ratio.value, 1.8, 0.25);
  EXPECT_LT(row.ratio.low, row.ratio.value);
  EXPECT_GT(row.ratio.high, row.ratio.value);
  EXPECT_NEAR(row.change, 80, 20);
  EXPECT_EQ(row.base_captures.size(), 5U);
  EXPECT_LE(row.q, kFalseDiscoveries);
  ASSERT_FALSE(row.examples.empty());
  EXPECT_GE(row.examples[0].duration_ns, row.examples.back().duration_ns);
}

TEST(CompareTest, FindsSmallChangesBetweenQuietCaptures) {
  // The work of six groups hardly varies between captures. One group needs 40% more.
  std::vector<Work> base(6);
  for (size_t i = 0; i < base.size(); ++i) {
    base[i].thread = std::string(1, static_cast<char>('a' + i));
    base[i].noise = 0.03;
  }
  std::vector<Work> next = base;
  next[2].cpu_ms *= 1.4;
  const DiffReport report = Diff(Simulator(3).Sides(base, next, 5));
  ASSERT_NE(At(report, 1), nullptr);
  EXPECT_EQ(report.groups[*At(report, 1)->group].name.thread, "c");
  EXPECT_EQ(At(report, 1)->metric, Metric::kCpuTime);
  EXPECT_EQ(report.findings.size(), 1U);
}

TEST(CompareTest, MoreCpuWithAsManyMoreWakeupsIsMoreWork) {
  const DiffReport report = DiffOf([](Work& work) {
    work.cpu_ms *= 2;
    work.wakeups *= 2;
  });
  ASSERT_NE(At(report, 1), nullptr);
  EXPECT_EQ(At(report, 1)->verdict, Verdict::kMore);
  EXPECT_EQ(At(report, 1)->metric, Metric::kCpuTime);
  EXPECT_FALSE(report.worse());
  // It is one finding.
  EXPECT_TRUE(Find(report, "worker", Metric::kWakeups)->suppressed_by);
}

TEST(CompareTest, LessCpuIsBetterAndItsSleepIsASymptom) {
  const DiffReport report = DiffOf([](Work& work) {
    work.cpu_ms *= 0.3;
    work.sleep_us *= 1.13;
  });
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(At(report, 1)->verdict, Verdict::kBetter);
  EXPECT_FALSE(report.worse());
}

TEST(CompareTest, AsMuchWorkInFewerWakeupsIsNotDearer) {
  const auto in_batches = [](Work& work) { work.wakeups /= 8; };
  EXPECT_FALSE(DiffOf(in_batches).worse());
}

TEST(CompareTest, AddsSleepsOfAllThreads) {
  // Two dozen threads that come and go, each with next to no sleep.
  Work client;
  client.threads = 24;
  client.wakeups = 30;
  client.sleep_us = 3000;
  Work other;
  other.thread = "other";
  Work slowed = client;
  slowed.long_sleeps = 15;
  slowed.long_sleep_ms = 12;
  const DiffReport report = Diff(Simulator(12).Sides({client, other}, {slowed, other}, 5));
  EXPECT_EQ(Find(report, "worker", Metric::kSleep)->verdict, Verdict::kWorse);
}

TEST(CompareTest, MoreWakeupsWithoutWorkAreWorse) {
  const DiffReport report = DiffOf([](Work& work) { work.wakeups *= 6; });
  const ComparisonRow* wakeups = Find(report, "worker", Metric::kWakeups);
  EXPECT_EQ(wakeups->verdict, Verdict::kWorse);
  EXPECT_TRUE(Find(report, "worker", Metric::kSwitches)->suppressed_by);
}

TEST(CompareTest, MoreForksAreWorse) {
  const DiffReport report = DiffOf([](Work& work) { work.forks = 40; });
  const ComparisonRow* forks = Find(report, "worker", Metric::kForks);
  EXPECT_EQ(forks->statistic, Statistic::kProcessRate);
  EXPECT_EQ(forks->verdict, Verdict::kWorse);
  // 500 us each.
  EXPECT_NEAR(forks->change, 20, 4);
}

// A larger pool of threads costs next to nothing. A thread for each request is a cost.
TEST(CompareTest, WeighsAThreadAsATenthOfAProcess) {
  for (const uint64_t made : {15U, 300U}) {
    auto sides = Simulator(11).Sides({{}}, {{}}, 5);
    for (measure::Capture& capture : sides.base) capture.groups[0].forked_threads = 3;
    for (measure::Capture& capture : sides.next) capture.groups[0].forked_threads = made;
    EXPECT_EQ(Diff(std::move(sides)).findings.empty(), made == 15) << made;
  }
}

TEST(CompareTest, FindsRareLongSleepsWithEqualMedian) {
  const DiffReport report = DiffOf([](Work& work) {
    work.long_sleeps = 8;
    work.long_sleep_ms = 60;
  });
  const ComparisonRow* sleep = Find(report, "worker", Metric::kSleep);
  EXPECT_EQ(sleep->verdict, Verdict::kWorse);
  EXPECT_EQ(At(report, 1), sleep);
}

TEST(CompareTest, FindsFirstWaitsInD) {
  const DiffReport report = DiffOf([](Work& work) {
    work.blocked = 200;
    work.blocked_us = 400;
  });
  ASSERT_NE(At(report, 1), nullptr);
  EXPECT_EQ(At(report, 1)->metric, Metric::kBlocked);
  EXPECT_EQ(At(report, 1)->verdict, Verdict::kWorse);
}

TEST(CompareTest, IgnoresChangesBelowTheGate) {
  Work small;
  small.cpu_ms = 1;
  small.wakeups = 20;
  small.preempted_ms = 0.1;
  Work changed = small;
  changed.cpu_ms = 2.5;
  EXPECT_TRUE(Diff(Simulator(3).Sides({small}, {changed}, 5)).findings.empty());
}

TEST(CompareTest, NewAndGoneGroupsHaveOneFindingEach) {
  Work worker;
  Work other;
  other.thread = "compactor";
  other.cpu_ms = 300;
  other.blocked = 100;
  const DiffReport added = Diff(Simulator(5).Sides({worker}, {worker, other}, 5));
  ASSERT_EQ(added.findings.size(), 1U);
  EXPECT_EQ(At(added, 1)->verdict, Verdict::kNew);
  EXPECT_EQ(At(added, 1)->metric, Metric::kCpuTime);
  EXPECT_FALSE(added.worse());
  const DiffReport gone = Diff(Simulator(5).Sides({worker, other}, {worker}, 5));
  ASSERT_EQ(gone.findings.size(), 1U);
  EXPECT_EQ(At(gone, 1)->verdict, Verdict::kGone);
}

TEST(CompareTest, MatchesRenamedThreads) {
  Work worker;
  Work renamed = worker;
  renamed.thread = "executor";
  const DiffReport report = Diff(Simulator(6).Sides({worker}, {renamed}, 5));
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.groups.size(), 1U);
  ASSERT_TRUE(report.groups[0].former_name);
  EXPECT_EQ(report.groups[0].former_name->thread, "worker");
  EXPECT_EQ(report.groups[0].name.thread, "executor");
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_THAT(report.notes[0], ::testing::HasSubstr("renamed"));
}

TEST(CompareTest, DoesNotMatchRenamedThreadWithTwiceTheWork) {
  Work worker;
  Work renamed = worker;
  renamed.thread = "executor";
  renamed.cpu_ms *= 2.5;
  const DiffReport report = Diff(Simulator(6).Sides({worker}, {renamed}, 5));
  ASSERT_NE(At(report, 1), nullptr);
  EXPECT_EQ(At(report, 1)->verdict, Verdict::kNew);
}

TEST(CompareTest, TwoCapturesASideConfirmNothing) {
  for (const size_t count : {1U, 2U}) {
    const DiffReport report = DiffOf([](Work& work) { work.cpu_ms *= 4; }, count);
    EXPECT_FALSE(report.confirmed);
    EXPECT_FALSE(report.worse());
    EXPECT_TRUE(report.findings.empty());
    ASSERT_FALSE(report.unconfirmed.empty());
    EXPECT_EQ(At(report, 1)->metric, Metric::kCpuTime);
  }
}

TEST(CompareTest, IgnoresTheOrderOfFiles) {
  Simulator simulator(8);
  Work worker;
  Work slow = worker;
  slow.cpu_ms *= 1.5;
  DiffInput input = simulator.Sides({worker}, {slow}, 5);
  DiffInput turned = input;
  std::reverse(turned.base.begin(), turned.base.end());
  std::rotate(turned.next.begin(), turned.next.begin() + 2, turned.next.end());
  const DiffReport one = Diff(std::move(input));
  const DiffReport two = Diff(std::move(turned));
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].q, two.rows[i].q);
    EXPECT_EQ(one.rows[i].verdict, two.rows[i].verdict);
    EXPECT_EQ(one.rows[i].base_captures, two.rows[i].base_captures);
  }
  EXPECT_EQ(one.findings, two.findings);
  EXPECT_EQ(one.base.files, two.base.files);
}

TEST(CompareTest, PairsOnlyInterleavedCaptures) {
  const DiffReport report = Diff(Simulator(9).Sides({Work()}, {Work()}, 4, false));
  EXPECT_FALSE(report.paired);
}

TEST(CompareTest, JudgesOnlyTheTreeOfACommand) {
  Work tree;
  tree.of_command = true;
  Work job;
  job.process = "cron";
  job.thread = "cron";
  Work busy = job;
  busy.cpu_ms *= 5;
  const DiffReport report = Diff(Simulator(10).Sides({tree, job}, {tree, busy}, 5));
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.others.size(), 1U);
  EXPECT_EQ(report.groups[*report.others[0].group].name.process, "cron");
  EXPECT_FALSE(report.groups[*report.others[0].group].in_scope);
  EXPECT_EQ(report.others[0].verdict, Verdict::kCannotTell);
}

// The disk is busy with work of others: what they wait for is shown where it matters.
TEST(CompareTest, LongerWaitsOfOthersAreShownBesideAFindingOfWaits) {
  Work tree;
  tree.of_command = true;
  Work job;
  job.process = "cron";
  Work longer = job;
  longer.blocked = 20;
  longer.blocked_us = 10'000;
  const DiffReport without = Diff(Simulator(10).Sides({tree, job}, {tree, longer}, 5));
  EXPECT_TRUE(without.findings.empty());
  const auto waits = [](const DiffReport& report) {
    std::vector<const ComparisonRow*> found;
    for (const ComparisonRow& row : report.others) {
      if (row.metric == Metric::kBlocked) found.push_back(&row);
    }
    return found;
  };
  EXPECT_TRUE(waits(without).empty());
  Work blocked = tree;
  blocked.blocked = 20;
  blocked.blocked_us = 10'000;
  const DiffReport with = Diff(Simulator(10).Sides({tree, job}, {blocked, longer}, 5));
  ASSERT_FALSE(with.findings.empty());
  ASSERT_EQ(waits(with).size(), 1U);
  EXPECT_EQ(with.groups[*waits(with)[0]->group].name.process, "cron");
  EXPECT_FALSE(IsFinding(waits(with)[0]->verdict));
}

TEST(CompareTest, ComparesPerRunIfCapturesHaveWholeRuns) {
  // The same work takes twice the time, mostly asleep. The run is longer, and has as much CPU time.
  Simulator simulator(12);
  Work fast;
  fast.of_command = true;
  Work slow = fast;
  slow.cpu_ms /= 2;
  slow.wakeups /= 2;
  slow.preempted_ms /= 2;
  slow.migrations /= 2;
  DiffInput input;
  for (int i = 0; i < 5; ++i) {
    input.base.push_back(simulator.Make({fast}, 2));
    input.next.push_back(simulator.Make({slow}, 4));
    input.base.back().elapsed_ns = 1990 * kMs + static_cast<uint64_t>(i) * kMs;
    input.next.back().elapsed_ns = 3990 * kMs - static_cast<uint64_t>(i) * kMs;
  }
  const DiffReport report = Diff(std::move(input));
  EXPECT_TRUE(report.per_run);
  EXPECT_NEAR(Find(report, "worker", Metric::kCpuTime)->ratio.value, 1, 0.1);
  const auto elapsed =
      std::find_if(report.rows.begin(), report.rows.end(),
                   [](const ComparisonRow& row) { return row.metric == Metric::kElapsed; });
  ASSERT_NE(elapsed, report.rows.end());
  EXPECT_EQ(elapsed->verdict, Verdict::kWorse);
  EXPECT_FALSE(elapsed->group);
}

TEST(CompareTest, RejectsMixedKindsOfCaptures) {
  DiffInput input = Simulator(13).Sides({Work()}, {Work()}, 3);
  input.next[1].trigger = "stall";
  const auto mixed = Compare(input);
  ASSERT_FALSE(mixed.ok());
  EXPECT_THAT(mixed.error().message, ::testing::HasSubstr("cannot be compared"));
  input = Simulator(13).Sides({Work()}, {Work()}, 3);
  input.base[0].groups.clear();
  EXPECT_FALSE(Compare(input).ok());
}

TEST(CompareTest, NotesDifferencesBetweenTheSides) {
  DiffInput input = Simulator(14).Sides({Work()}, {Work()}, 3);
  for (auto& capture : input.next) {
    capture.kernel = "6.12.0";
    capture.cpus = 4;
    capture.lost_events = 10'000;
  }
  const DiffReport report = Diff(std::move(input));
  EXPECT_FALSE(report.comparable);
  ASSERT_EQ(report.notes.size(), 5U);
  EXPECT_THAT(report.notes[0], ::testing::HasSubstr("6.1.0 in the base, 6.12.0"));
  EXPECT_THAT(report.notes[1], ::testing::HasSubstr("CPUs: 2 in the base, 4"));
  EXPECT_THAT(report.notes[2], ::testing::HasSubstr("were lost"));
}

TEST(CompareTest, NoiseCapturesReplaceTheDefaultPrior) {
  // A change that is significant by default, but not on a machine that varies twofold.
  Work worker;
  worker.noise = 0.7;
  Simulator simulator(15);
  const auto noise = simulator.Some({worker}, 8);
  Work quiet;
  quiet.noise = 0.02;
  Work slow = quiet;
  slow.cpu_ms *= 2;
  DiffInput input = simulator.Sides({quiet}, {slow}, 3);
  EXPECT_EQ(Diff(input).findings.size(), 1U);
  input.noise = noise;
  EXPECT_TRUE(Diff(input).findings.empty());
}

TEST(CompareTest, InterruptedLongSleepIsNotMoreSleep) {
  // In the base a sleep goes from edge to edge, and is cut. One wakeup makes two complete sleeps of
  // it.
  DiffInput input = Simulator(16).Sides({Work()}, {Work()}, 5);
  const auto add = [](measure::Capture& capture, bool once) {
    measure::Group group;
    group.name = {"app", "flusher", false};
    group.threads = 1;
    auto& sleep = group.of(measure::Duration::kSleep);
    const uint64_t length = capture.length();
    if (once) {
      sleep.whole.Add(length / 2, 2);
      sleep.whole_ns = length;
      group.wakeups = 2;
    } else {
      sleep.cut.Add(length);
      sleep.cut_ns = length;
    }
    group.share_ns[static_cast<size_t>(facts::Share::kSleeping)] = length;
    capture.groups.insert(capture.groups.begin(), group);
  };
  for (auto& capture : input.base) add(capture, false);
  for (auto& capture : input.next) add(capture, true);
  EXPECT_TRUE(Diff(std::move(input)).findings.empty());
}

TEST(CompareTest, OtherMixOfThreadsIsNotMoreSleep) {
  // Twice the threads sleep twice as much in total, and each of them as much as before.
  const DiffReport report = DiffOf([](Work& work) {
    work.threads = 2;
    work.wakeups *= 2;
  });
  EXPECT_FALSE(IsFinding(Find(report, "worker", Metric::kSleep)->verdict));
}

TEST(CompareTest, NeverJudgesTheRecorder) {
  Work recorder;
  recorder.process = recorder.thread = "fxt-record";
  Work busy = recorder;
  busy.cpu_ms *= 4;
  DiffInput input = Simulator(17).Sides({Work(), recorder}, {Work(), busy}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      for (auto& group : capture.groups) group.of_recorder = group.name.process == "fxt-record";
    }
  }
  const DiffReport report = Diff(std::move(input));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.others.empty());
}

// Six groups. The first one waits longer for a CPU, by little. A setting differs.
DiffReport DiffOfLatency(double times, const char* setting, const char* process = "app") {
  std::vector<Work> base(6);
  for (size_t i = 0; i < base.size(); ++i) {
    base[i].thread = std::string(1, static_cast<char>('a' + i));
    base[i].preempted_ms = 0;
    base[i].latency_us = 200;
  }
  std::vector<Work> next = base;
  next[0].latency_us *= times;
  auto sides = Simulator(4).Sides(base, next, 5);
  for (auto* side : {&sides.base, &sides.next}) {
    for (measure::Capture& capture : *side) {
      capture.settings[{schema::SettingScope::kProcess, false, process, setting}].Add(
          side == &sides.next ? "10" : "0");
    }
  }
  return Diff(std::move(sides));
}

TEST(CompareTest, ASettingThatDiffersNeedsLessProof) {
  constexpr double kTimes = 2.6;
  const auto latency = [](const DiffReport& report, const char* thread) {
    return *Find(report, thread, Metric::kWakeupLatency);
  };
  const DiffReport without = DiffOfLatency(kTimes, "command_line");
  EXPECT_FALSE(IsFinding(latency(without, "a").verdict)) << latency(without, "a").q;
  const DiffReport with = DiffOfLatency(kTimes, "nice of thread a");
  EXPECT_EQ(latency(with, "a").verdict, Verdict::kWorse) << latency(with, "a").q;
  EXPECT_LE(latency(with, "a").q, kFalseDiscoveries);
  // The others did not change, and a setting does not make it so.
  for (const char* thread : {"b", "c", "d", "e", "f"}) {
    EXPECT_FALSE(IsFinding(latency(with, thread).verdict)) << thread;
  }
  // One that acts on sleeps, on another thread, or on another process proves nothing.
  for (const char* setting : {"timerslack_ns of thread a", "nice of thread b"}) {
    EXPECT_FALSE(IsFinding(latency(DiffOfLatency(kTimes, setting), "a").verdict)) << setting;
  }
  const DiffReport elsewhere = DiffOfLatency(kTimes, "nice of thread a", "other");
  EXPECT_FALSE(IsFinding(latency(elsewhere, "a").verdict));
}

TEST(CompareTest, ASettingThatDiffersIsNoFinding) {
  EXPECT_TRUE(DiffOfLatency(1, "nice").findings.empty());
}

TEST(CompareTest, AsManyCapturesAsItNamesDecide) {
  const Work before;
  Work after = before;
  after.cpu_ms *= 1.3;
  int decided = 0;
  int asked = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const auto few = Compare(Simulator(seed).Sides({before}, {after}, 3));
    ASSERT_TRUE(few);
    for (const UndecidedRow& row : few->too_noisy) {
      if (few->rows[row.row].metric != Metric::kCpuTime) continue;
      ++asked;
      EXPECT_GT(row.captures, 3u);
      if (row.captures > 40) continue;
      const auto more = Compare(Simulator(seed).Sides({before}, {after}, row.captures));
      ASSERT_TRUE(more);
      decided += IsFinding(testing::Find(*more, "worker", Metric::kCpuTime)->verdict);
    }
  }
  EXPECT_GT(asked, 5);
  EXPECT_GE(decided, asked / 2);
}

}  // namespace
}  // namespace comparison
