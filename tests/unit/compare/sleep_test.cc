// SPDX-License-Identifier: BSD-2-Clause
// Sleeps of two lengths. One side has more of the longer ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::Simulator;
using testing::Work;

// The sleeps of a capture of three seconds: `longer` of them take 3 ms, the others 1 ms.
void SetSleeps(measure::Capture& capture, uint64_t all, uint64_t longer) {
  measure::Group& group = capture.groups[0];
  measure::Distribution& sleeps = group.of(measure::Duration::kSleep);
  sleeps = {};
  uint64_t sum = 0;
  for (uint64_t i = 0; i < all; ++i) {
    // They vary by two thousandths.
    const uint64_t ns = (i < longer ? 3'000'000 : 1'000'000) / 1000 * (998 + i % 5);
    sleeps.whole.Add(ns);
    sum += ns;
  }
  sleeps.whole_ns = sum;
  group.share_ns[static_cast<size_t>(facts::Share::kSleeping)] = sum;
  group.wakeups = all;
}

Verdict VerdictOf(uint64_t longer_before, uint64_t longer_after) {
  auto sides = Simulator(5).Sides({Work()}, {Work()}, 5);
  for (size_t i = 0; i < sides.base.size(); ++i) {
    SetSleeps(sides.base[i], 590 + 5 * i, longer_before + 4 * i);
    SetSleeps(sides.next[i], 600 - 4 * i, longer_after - 4 * i);
  }
  const auto report = Compare(std::move(sides));
  EXPECT_TRUE(report);
  return testing::Find(*report, "worker", Metric::kSleep)->verdict;
}

// The median is one of the longer sleeps: no sleep is much longer than the median.
TEST(SleepTest, MostSleepsLongerIsWorse) { EXPECT_EQ(VerdictOf(120, 580), Verdict::kWorse); }

TEST(SleepTest, SomeSleepsLongerIsWorse) { EXPECT_EQ(VerdictOf(20, 200), Verdict::kWorse); }

// Sleeps of `ms` each for the whole capture, which its own timer or another thread ends.
void SetPauses(measure::Capture& capture, uint64_t ms, bool own, size_t which = 0) {
  measure::Group& group = capture.groups[which];
  const uint64_t count = 2900 / ms;
  measure::Distribution& sleeps = group.of(measure::Duration::kSleep);
  sleeps = {};
  for (uint64_t i = 0; i < count; ++i) sleeps.whole.Add(ms * 1000 * (998 + i % 5));
  sleeps.whole_ns = count * ms * 1'000'000;
  group.share_ns[static_cast<size_t>(facts::Share::kSleeping)] = sleeps.whole_ns;
  group.wakeups = count;
  measure::Blame blame;
  blame.count = count;
  blame.ns = sleeps.whole_ns;
  auto& enders = group.blames[static_cast<size_t>(measure::Attribution::kWokenBy)];
  enders.clear();
  enders[own ? measure::kInterrupt : 1] = blame;
}

Verdict VerdictOfPauses(uint64_t before, uint64_t after, bool own) {
  Work other;
  other.thread = "zealot";
  auto sides = Simulator(5).Sides({Work(), other}, {Work(), other}, 5);
  for (auto& capture : sides.base) SetPauses(capture, before, own);
  for (auto& capture : sides.next) SetPauses(capture, after, own);
  const auto report = Compare(std::move(sides));
  EXPECT_TRUE(report);
  return testing::Find(*report, "worker", Metric::kSleep)->verdict;
}

// A server that was asleep for work alone has pauses amid it now, all of one length.
TEST(SleepTest, SleepsWhereThereWereNoneAreWorse) {
  auto sides = Simulator(5).Sides({Work()}, {Work()}, 5);
  for (auto& capture : sides.base) {
    SetPauses(capture, 2, true);
    measure::Group& group = capture.groups[0];
    group.of(measure::Duration::kForWork) = group.of(measure::Duration::kSleep);
    group.of(measure::Duration::kSleep) = {};
  }
  for (auto& capture : sides.next) SetPauses(capture, 2, true);
  const auto report = Compare(std::move(sides));
  ASSERT_TRUE(report);
  const ComparisonRow& row = *testing::Find(*report, "worker", Metric::kSleep);
  EXPECT_EQ(row.verdict, Verdict::kWorse);
  EXPECT_GT(row.change, 500);
}

// A group that polls for work less often is asleep for the same part of the time.
TEST(SleepTest, LongerTimerSleepsAreWorse) {
  EXPECT_EQ(VerdictOfPauses(5, 8, true), Verdict::kWorse);
  EXPECT_FALSE(IsFinding(VerdictOfPauses(5, 5, true)));
}

// A server with requests over the network, and a client with timer sleeps: each sleeps longer.
TEST(SleepTest, TwoSelfPacedGroupsMayWaitForEachOther) {
  Work other;
  other.thread = "zealot";
  auto sides = Simulator(5).Sides({Work(), other}, {Work(), other}, 5);
  for (size_t which : {0U, 1U}) {
    for (auto& capture : sides.base) SetPauses(capture, 5, true, which);
    for (auto& capture : sides.next) SetPauses(capture, 8, true, which);
  }
  const auto report = Compare(std::move(sides));
  ASSERT_TRUE(report);
  EXPECT_FALSE(IsFinding(testing::Find(*report, "worker", Metric::kSleep)->verdict));
  EXPECT_FALSE(IsFinding(testing::Find(*report, "zealot", Metric::kSleep)->verdict));
}

// A group that other groups wake has less work.
TEST(SleepTest, FewerRequestsAreNotWorse) { EXPECT_FALSE(IsFinding(VerdictOfPauses(5, 8, false))); }

// Runs of a command, in which answers come one after another instead of together: it sleeps more
// often, each time as long as before. `work` is how much more CPU time it has.
Verdict VerdictOfRuns(double work) {
  Simulator simulator(5);
  Work before;
  before.of_command = true;
  Work after = before;
  after.cpu_ms *= work * 3 / 5;
  DiffInput runs;
  for (uint64_t i = 0; i < 5; ++i) {
    runs.base.push_back(simulator.Make({before}, 3));
    runs.next.push_back(simulator.Make({after}, 5));
    runs.base.back().elapsed_ns = 2'990'000'000 + i * 1'000'000;
    runs.next.back().elapsed_ns = 4'990'000'000 - i * 1'000'000;
    SetSleeps(runs.base.back(), 600 + i, 300);
    SetSleeps(runs.next.back(), 1500 - i, 750);
  }
  const auto report = Compare(std::move(runs));
  EXPECT_TRUE(report);
  EXPECT_TRUE(report->per_run);
  return testing::Find(*report, "worker", Metric::kSleep)->verdict;
}

TEST(SleepTest, MoreSleepsForAsMuchWorkOfARunAreWorse) {
  EXPECT_EQ(VerdictOfRuns(1), Verdict::kWorse);
  EXPECT_FALSE(IsFinding(VerdictOfRuns(2.5)));
}

// Of the sleeps `count` are for answers and take `us` each, in captures of three seconds.
void SetAnswers(measure::Capture& capture, uint64_t count, uint64_t us, uint64_t slow) {
  measure::Group& group = capture.groups[0];
  measure::Distribution& answers = group.of(measure::Duration::kForAnswer);
  answers = {};
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t ns = i % 100 < slow ? 40'000'000 : us * (998 + i % 5);
    answers.whole.Add(ns);
    answers.whole_ns += ns;
    answers.longest_ns = std::max(answers.longest_ns, ns);
  }
  group.wakeups = count;
}

// A group whose answers take 1.6 times as long at p50. `slow` of a hundred take 40 ms in some of
// the captures.
ComparisonRow LaterAnswers(uint64_t slow) {
  const Work before;
  const Work& after = before;
  auto sides = Simulator(5).Sides({before}, {after}, 3);
  for (uint64_t i = 0; i < 3; ++i) {
    SetAnswers(sides.base[i], 2200, 500 + 10 * i, i == 1 ? slow : 0);
    SetAnswers(sides.next[i], 2200, 800 + 10 * i, i == 2 ? slow : 0);
  }
  const auto report = Compare(std::move(sides));
  EXPECT_TRUE(report);
  return *testing::Find(*report, "worker", Metric::kSleep);
}

TEST(SleepTest, AnswersOfAGroupAreAQuestionOfTheirOwn) {
  EXPECT_EQ(LaterAnswers(0).verdict, Verdict::kWorse);
  // The mean varies by several times.
  const ComparisonRow busy = LaterAnswers(5);
  EXPECT_EQ(busy.verdict, Verdict::kWorse);
  EXPECT_EQ(busy.statistic, Statistic::kAnswerP50);
}

TEST(SleepTest, UnchangedSleepsAreNotWorse) {
  EXPECT_FALSE(IsFinding(VerdictOf(300, 300)));
  EXPECT_FALSE(IsFinding(VerdictOf(120, 120)));
}

}  // namespace
}  // namespace comparison
