// SPDX-License-Identifier: BSD-2-Clause
#include "compare/verdicts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace comparison {
namespace {

// Of a wakeup that costs two thirds of what it did. `turns` are the wakeups by timers, `cpu` is the
// time in all, both in parts of what they were.
Verdict VerdictOfCheaperWakeups(double turns, double cpu) {
  Row row;
  row.metric = Metric::kCpuTime;
  row.statistic = Statistic::kCpuPerWakeup;
  row.ratio = {0.67, 0.6, 0.75};
  row.change = -30;
  GroupChange group;
  group.busy = 800;
  group.turns = std::log(turns);
  group.change[static_cast<size_t>(Statistic::kCpuRate)] = std::log(cpu);
  return Judge(row, group);
}

TEST(VerdictsTest, AWakeupIsCheaperWhereAsMuchIsDone) {
  EXPECT_EQ(VerdictOfCheaperWakeups(1, 0.67), Verdict::kBetter);
}

// It takes as many turns less, and is woken in between by those who hand it a lock.
TEST(VerdictsTest, AWakeupForLessWorkIsNotCheaper) {
  EXPECT_EQ(VerdictOfCheaperWakeups(0.67, 0.67), Verdict::kLess);
  EXPECT_EQ(VerdictOfCheaperWakeups(0.67, 1), Verdict::kUnchanged);
}

// Whoever it wakes preempts it for a moment.
TEST(VerdictsTest, MorePreemptionsAreWorseOnlyWhereItWaitsLonger) {
  Row row;
  row.metric = Metric::kSwitches;
  row.statistic = Statistic::kSwitchRate;
  row.base.value = 1000;
  row.next.value = 1500;
  row.ratio = {1.5, 1.4, 1.6};
  row.change = 2.5;
  GroupChange group;
  group.forced = 450;
  EXPECT_EQ(Judge(row, group), Verdict::kUnchanged);
  group.waits_more = true;
  EXPECT_EQ(Judge(row, group), Verdict::kWorse);
  group = {};
  group.forced = 100;
  EXPECT_EQ(Judge(row, group), Verdict::kWorse);
}

}  // namespace
}  // namespace comparison
