// SPDX-License-Identifier: BSD-2-Clause
#include "query/scan_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace query {
namespace {

using ::testing::ElementsAre;

TEST(ScanPlanTest, ComesBackFromText) {
  const ScanPlan plan{0x123456789, {Condition::kAfter, Condition::kTid}, {3, 0, 12}};
  const ScanPlan back = ScanPlan::Decode(plan.Encode());
  EXPECT_EQ(back.columns, plan.columns);
  EXPECT_THAT(back.conditions, ElementsAre(Condition::kAfter, Condition::kTid));
  EXPECT_THAT(back.grouped_by, ElementsAre(3, 0, 12));
  EXPECT_TRUE(ScanPlan::Decode(ScanPlan{}.Encode()).grouped_by.empty());
  EXPECT_EQ(ScanPlan::Decode("").columns, 0U);
}

TEST(ScanPlanTest, ConditionsNarrow) {
  tables::RowFilter filter;
  Narrow(filter, Condition::kAfter, int64_t{100});
  Narrow(filter, Condition::kFrom, int64_t{50});
  Narrow(filter, Condition::kBefore, 200.5);
  Narrow(filter, Condition::kUpTo, 300.0);
  EXPECT_TRUE(filter.HasTime(101));
  EXPECT_TRUE(filter.HasTime(200));
  EXPECT_FALSE(filter.HasTime(99));
  EXPECT_FALSE(filter.HasTime(202));
  Narrow(filter, Condition::kAt, int64_t{150});
  EXPECT_FALSE(filter.HasTime(149));
  EXPECT_TRUE(filter.HasTime(150));
}

TEST(ScanPlanTest, NumbersThatAreNoneOfOursChooseNothingLess) {
  tables::RowFilter filter;
  for (const double value : {1e300, -1e300, std::numeric_limits<double>::quiet_NaN()}) {
    Narrow(filter, Condition::kFrom, value);
    Narrow(filter, Condition::kUpTo, value);
    Narrow(filter, Condition::kCpu, value);
  }
  Narrow(filter, Condition::kTid, 1.5);
  EXPECT_TRUE(filter.HasTime(0));
  EXPECT_TRUE(filter.HasTime(UINT64_MAX));
  EXPECT_FALSE(filter.cpu);
  EXPECT_FALSE(filter.tid);
}

}  // namespace
}  // namespace query
