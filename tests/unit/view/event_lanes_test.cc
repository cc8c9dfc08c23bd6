// SPDX-License-Identifier: BSD-2-Clause
#include "view/event_lanes.h"

#include <gtest/gtest.h>

namespace view {
namespace {

TEST(EventLanesTest, SpansNestByTheirTimes) {
  EventBudget budget{.max_bytes = 1 << 20};
  SpanLane lane;
  // In the order of their ends.
  lane.Add({.begin = 20, .end = 30}, budget);
  lane.Add({.begin = 15, .end = 40}, budget);
  lane.Add({.begin = 10, .end = 90}, budget);
  lane.Add({.begin = 100, .end = 110}, budget);
  const auto& all = lane.Sorted();
  EXPECT_EQ(all[0].depth, 0U);
  EXPECT_EQ(all[1].depth, 1U);
  EXPECT_EQ(all[2].depth, 2U);
  EXPECT_EQ(all[3].depth, 0U);
  EXPECT_EQ(lane.rows(), 3U);
  EXPECT_EQ(lane.FirstEndingAfter(200), 4U);
}

TEST(EventLanesTest, OverlappingOperationsTakeTheFirstFreeRow) {
  EventBudget budget{.max_bytes = 1 << 20};
  SpanLane lane;
  lane.SetOverlapping();
  lane.Add({.begin = 0, .end = 50}, budget);
  lane.Add({.begin = 10, .end = 60}, budget);
  lane.Add({.begin = 55, .end = 70}, budget);
  EXPECT_EQ(lane.Sorted()[1].depth, 1U);
  EXPECT_EQ(lane.Sorted()[2].depth, 0U);
  EXPECT_EQ(lane.rows(), 2U);
}

TEST(EventLanesTest, SpansWithoutARowAreCounted) {
  EventBudget budget{.max_bytes = 1 << 20};
  for (const bool is_overlapping : {false, true}) {
    SpanLane lane;
    if (is_overlapping) lane.SetOverlapping();
    for (uint64_t i = 0; i < 64; ++i) lane.Add({.begin = i, .end = 1000 - i}, budget);
    EXPECT_EQ(lane.rows(), 64U);
    EXPECT_EQ(lane.without_row(), 0U);
    for (uint64_t i = 0; i < 5; ++i) lane.Add({.begin = 100 + i, .end = 900}, budget);
    lane.Add({.begin = 1000, .end = 1010}, budget);
    EXPECT_EQ(lane.rows(), 64U);
    EXPECT_EQ(lane.without_row(), 5U);
    EXPECT_EQ(lane.Sorted()[63].depth, 63U);
    EXPECT_EQ(lane.Sorted()[64].depth, SpanLane::kMaxRows);
    EXPECT_EQ(lane.Sorted().back().depth, 0U);
  }
}

TEST(EventLanesTest, CountsEventsBeyondTheBudget) {
  EventBudget budget{.max_bytes = 40 * sizeof(Span)};
  SpanLane lane;
  for (uint64_t i = 0; i < 1000; ++i) lane.Add({.begin = i, .end = i + 1}, budget);
  EXPECT_LE(budget.bytes, budget.max_bytes);
  EXPECT_EQ(lane.Sorted().size() + budget.left_out, 1000U);
}

TEST(EventLanesTest, PointsAreFoundByTime) {
  EventBudget budget{.max_bytes = 1 << 20};
  PointLane<Instant> lane;
  lane.Add({.time = 30}, budget);
  lane.Add({.time = 10}, budget);
  lane.Add({.time = 20}, budget);
  EXPECT_EQ(lane.FirstFrom(0), 0U);
  EXPECT_EQ(lane.FirstFrom(11), 1U);
  EXPECT_EQ(lane.FirstFrom(31), 3U);
}

}  // namespace
}  // namespace view
