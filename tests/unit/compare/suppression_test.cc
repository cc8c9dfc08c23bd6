// SPDX-License-Identifier: BSD-2-Clause
#include "compare/suppression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace comparison {
namespace {

Row Make(Metric metric, Verdict verdict, double change, double ratio = 2) {
  Row row;
  row.group = 0;
  row.metric = metric;
  row.statistic = StatisticsOf(metric)[0].statistic;
  row.verdict = verdict;
  row.change = change;
  row.ratio = {ratio, ratio, ratio};
  return row;
}

std::vector<Row> Folded(std::vector<Row> rows, const SuppressionFacts& facts = {}) {
  std::vector<size_t> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  Fold(rows, numbers, facts);
  return rows;
}

TEST(SuppressionTest, LatencyRightAfterBlockedGoesUnderBlocked) {
  const std::vector<Row> rows = {Make(Metric::kWakeupLatency, Verdict::kWorse, 10),
                                 Make(Metric::kBlocked, Verdict::kWorse, 30)};
  SuppressionFacts facts;
  facts.after_blocked = 6;
  EXPECT_EQ(Folded(rows, facts)[0].folded_under, 1U);
  facts.after_blocked = 4;
  EXPECT_FALSE(Folded(rows, facts)[0].folded_under);
}

TEST(SuppressionTest, LessSleepGoesUnderMoreWork) {
  const auto rows = Folded({Make(Metric::kSleep, Verdict::kBetter, -50, 0.5),
                            Make(Metric::kCpuTime, Verdict::kMore, 60)});
  EXPECT_EQ(rows[0].folded_under, 1U);
  EXPECT_FALSE(Folded({Make(Metric::kSleep, Verdict::kBetter, -50, 0.5),
                       Make(Metric::kCpuTime, Verdict::kBetter, -60, 0.5)})[0]
                   .folded_under);
}

TEST(SuppressionTest, WhoRunsWhereItSleptIsNotBetter) {
  SuppressionFacts facts;
  facts.running = 40;
  const std::vector<Row> rows = {Make(Metric::kSleep, Verdict::kBetter, -50, 0.5)};
  EXPECT_EQ(Folded(rows, facts)[0].verdict, Verdict::kUnchanged);
  EXPECT_EQ(Folded(rows)[0].verdict, Verdict::kBetter);
  EXPECT_EQ(
      Folded({rows[0], Make(Metric::kPreemptedWait, Verdict::kWorse, 40)}, facts)[0].folded_under,
      1U);
}

TEST(SuppressionTest, LatencyOfMoreWakeupsGoesUnderThem) {
  SuppressionFacts facts;
  facts.latency = std::log(20);
  const std::vector<Row> rows = {Make(Metric::kWakeupLatency, Verdict::kWorse, 10),
                                 Make(Metric::kWakeups, Verdict::kWorse, 3, 10)};
  EXPECT_EQ(Folded(rows, facts)[0].folded_under, 1U);
  facts.latency = std::log(200);
  EXPECT_FALSE(Folded(rows, facts)[0].folded_under);
}

TEST(SuppressionTest, MoreSleepGoesUnderBetterCpuThatLeavesTheTime) {
  const std::vector<Row> rows = {Make(Metric::kSleep, Verdict::kWorse, 100),
                                 Make(Metric::kCpuTime, Verdict::kBetter, -60, 0.5)};
  EXPECT_EQ(Folded(rows)[0].folded_under, 1U);
  // Who does less, sleeps for another reason.
  SuppressionFacts facts;
  facts.slowed = true;
  EXPECT_FALSE(Folded(rows, facts)[0].folded_under);
  // Or waits less for a CPU, as surely as it sleeps more: that is no finding of either.
  facts = {};
  facts.relief = 60;
  EXPECT_EQ(Folded({rows[0]}, facts)[0].verdict, Verdict::kUnchanged);
  facts.relief = 0;
  facts.runnable = -60;
  EXPECT_EQ(Folded({rows[0]}, facts)[0].verdict, Verdict::kWorse);
  // Who waits for others in the place of its own pauses does so for no time that it has left.
  facts.relief = 60;
  Row for_threads = rows[0];
  for_threads.statistic = Statistic::kSleepForThreads;
  EXPECT_EQ(Folded({for_threads}, facts)[0].verdict, Verdict::kWorse);
  EXPECT_FALSE(Folded({for_threads, rows[1]})[0].folded_under);
  // And so does who sleeps much more than it saves.
  Row long_sleeps = Make(Metric::kSleep, Verdict::kWorse, 400);
  facts = {};
  facts.asleep = 70;
  EXPECT_FALSE(Folded({long_sleeps, rows[1]}, facts)[0].folded_under);
  // But not who has more sleeps above the median, and is no more asleep in all than it saves.
  long_sleeps.statistic = Statistic::kSleepCount;
  EXPECT_EQ(Folded({long_sleeps, rows[1]}, facts)[0].folded_under, 1U);
  facts.asleep = 400;
  EXPECT_FALSE(Folded({long_sleeps, rows[1]}, facts)[0].folded_under);
}

TEST(SuppressionTest, MorePreemptionGoesUnderMoreCpu) {
  const auto rows = Folded({Make(Metric::kPreemptedWait, Verdict::kWorse, 100),
                            Make(Metric::kCpuTime, Verdict::kWorse, 80)});
  EXPECT_EQ(rows[0].folded_under, 1U);
}

TEST(SuppressionTest, SlicesAreNeverAFindingOfTheirOwn) {
  EXPECT_EQ(Folded({Make(Metric::kSlice, Verdict::kWorse, 5)})[0].verdict, Verdict::kUnchanged);
  const auto rows = Folded(
      {Make(Metric::kSlice, Verdict::kWorse, 5), Make(Metric::kCpuTime, Verdict::kWorse, 30)});
  EXPECT_EQ(rows[0].folded_under, 1U);
}

TEST(SuppressionTest, ANewGroupIsOneRow) {
  const auto rows =
      Folded({Make(Metric::kWakeups, Verdict::kNew, 2), Make(Metric::kCpuTime, Verdict::kNew, 30),
              Make(Metric::kBlocked, Verdict::kNew, 90)});
  EXPECT_EQ(rows[0].folded_under, 1U);
  EXPECT_FALSE(rows[1].folded_under);
  EXPECT_EQ(rows[2].folded_under, 1U);
}

TEST(SuppressionTest, WhatStandsUnderAFoldedRowStandsUnderItsCause) {
  const auto rows = Folded({Make(Metric::kSwitches, Verdict::kWorse, 2),
                            Make(Metric::kWakeups, Verdict::kMore, 2),
                            Make(Metric::kCpuTime, Verdict::kMore, 50)});
  EXPECT_EQ(rows[1].folded_under, 2U);
  EXPECT_EQ(rows[0].folded_under, 2U);
}

}  // namespace
}  // namespace comparison
