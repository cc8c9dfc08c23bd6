// SPDX-License-Identifier: BSD-2-Clause
#include "view/flow_table.h"

#include <gtest/gtest.h>

namespace view {
namespace {

using Kind = FlowPoint::Kind;

TEST(FlowTableTest, PointsOfAFlowAreConnectedInOrderOfTime) {
  EventBudget budget{.max_bytes = 1 << 20};
  FlowTable flows;
  const auto add = [&](uint64_t time, uint64_t id, uint32_t thread, Kind kind) {
    flows.Add({.time = time, .id = id, .thread = thread, .category = 1, .kind = kind}, budget);
  };
  add(300, 7, 3, Kind::kEnd);
  add(100, 7, 1, Kind::kBegin);
  add(200, 7, 2, Kind::kStep);
  add(150, 8, 1, Kind::kBegin);
  // The same id is reused.
  add(400, 7, 1, Kind::kBegin);
  add(500, 7, 2, Kind::kEnd);
  const auto& all = flows.Sorted();
  const auto of_first = flows.Of(1, 0, 1000);
  ASSERT_EQ(of_first.size(), 3U);
  EXPECT_EQ(of_first[0].previous, FlowPoint::kNone);
  const FlowPoint& step = all[of_first[0].next];
  EXPECT_EQ(step.thread, 2U);
  EXPECT_EQ(all[step.next].time, 300U);
  EXPECT_EQ(all[step.next].next, FlowPoint::kNone);
  EXPECT_EQ(of_first[1].next, FlowPoint::kNone) << "a flow without an end";
  EXPECT_EQ(of_first[2].previous, FlowPoint::kNone);
  EXPECT_EQ(all[of_first[2].next].time, 500U);
  EXPECT_EQ(flows.Of(1, 101, 399).size(), 1U);
  EXPECT_EQ(flows.Of(2, 200, 200).size(), 1U);
  EXPECT_TRUE(flows.Of(4, 0, 1000).empty());
}

TEST(FlowTableTest, CountsPointsBeyondTheBudget) {
  EventBudget budget{.max_bytes = 100 * sizeof(FlowPoint)};
  FlowTable flows;
  for (uint64_t i = 0; i < 1000; ++i) flows.Add({.time = i}, budget);
  EXPECT_LE(budget.bytes, budget.max_bytes);
  EXPECT_EQ(flows.Sorted().size() + budget.left_out, 1000U);
}

}  // namespace
}  // namespace view
