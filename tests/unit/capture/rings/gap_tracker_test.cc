// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/gap_tracker.h"

#include <gtest/gtest.h>

namespace capture {
namespace {

fxr_ring_control Losing(uint64_t since, fxr_category category = FXR_CATEGORY_SCHED) {
  fxr_ring_control control{};
  control.gap = 1;
  control.pending[category] = 3;
  control.pending_since[category] = since;
  return control;
}

TEST(GapTrackerTest, QueuesGapsInTimeOrder) {
  GapTracker gaps;
  EXPECT_EQ(gaps.NextTime(), UINT64_MAX);
  gaps.Update(0, Losing(30));
  gaps.Update(3, Losing(20));
  EXPECT_EQ(gaps.NextTime(), 20u);
  EXPECT_EQ(gaps.Pop().cpu, 3u);
  EXPECT_EQ(gaps.NextTime(), 30u);
  EXPECT_EQ(gaps.Pop().cpu, 0u);
  EXPECT_EQ(gaps.NextTime(), UINT64_MAX);
}

TEST(GapTrackerTest, ReportsAGapOnce) {
  GapTracker gaps;
  gaps.Update(1, Losing(30));
  gaps.Pop();
  gaps.Update(1, Losing(30));
  EXPECT_EQ(gaps.NextTime(), UINT64_MAX);
  gaps.Update(1, Losing(50));
  EXPECT_EQ(gaps.NextTime(), 50u);
}

TEST(GapTrackerTest, IgnoresOtherCategoriesAndEndedGaps) {
  GapTracker gaps;
  gaps.Update(0, Losing(30, FXR_CATEGORY_IRQ));
  fxr_ring_control ended = Losing(40);
  ended.gap = 0;
  gaps.Update(1, ended);
  EXPECT_EQ(gaps.NextTime(), UINT64_MAX);
}

}  // namespace
}  // namespace capture
