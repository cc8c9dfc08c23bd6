// SPDX-License-Identifier: BSD-2-Clause
#include "compare/changes.h"

#include <gtest/gtest.h>

namespace comparison {
namespace {

Side WaitsFor(double foreign, double demand) {
  Side side;
  side.foreign = foreign;
  side.foreign_demand = demand;
  return side;
}

TEST(ChangesTest, WaitsForOtherWorkThatIsNewAreThatWorks) {
  EXPECT_NEAR(ForeignChange(WaitsFor(1, 0.05), WaitsFor(300, 2)), 299, 1);
  EXPECT_NEAR(ForeignChange(WaitsFor(300, 2), WaitsFor(1, 0.05)), -299, 1);
}

TEST(ChangesTest, WaitsForAsMuchOrLessOtherWorkAreTheGroupsOwn) {
  EXPECT_EQ(ForeignChange(WaitsFor(100, 1), WaitsFor(300, 1)), 0);
  EXPECT_EQ(ForeignChange(WaitsFor(100, 1), WaitsFor(300, 0.8)), 0);
  EXPECT_EQ(ForeignChange(WaitsFor(300, 1), WaitsFor(100, 1.2)), 0);
}

TEST(ChangesTest, OtherWorkExplainsWhatGrowsWithItsSquare) {
  // Twice the work: three quarters of the waits that there are now, but no more than came with it.
  EXPECT_NEAR(ForeignChange(WaitsFor(10, 1), WaitsFor(400, 2)), 300, 1e-9);
  EXPECT_NEAR(ForeignChange(WaitsFor(350, 1), WaitsFor(400, 2)), 50, 1e-9);
}

TEST(ChangesTest, ALongerMeanOfEventsThatBecameRareIsNoMoreThanThereIsMoreInAll) {
  const StatisticInfo& info = InfoOf(Statistic::kLatencyMean);
  Side base;
  base.ms = 10;
  base.events = 100;
  Side next;
  next.ms = 12;
  next.events = 50;
  EXPECT_NEAR(ChangeOf(info, base, next), 2, 1e-9);
  next.ms = 9;
  EXPECT_EQ(ChangeOf(info, base, next), 0);
}

TEST(ChangesTest, TheMostOfARateIsItsLargerSide) {
  Side base;
  base.value = 3;
  Side next;
  next.value = 5;
  EXPECT_EQ(LargestOf(InfoOf(Statistic::kCpuRate), base, next), 5);
}

}  // namespace
}  // namespace comparison
