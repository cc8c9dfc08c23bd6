// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_layout.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

// Two CPUs and two threads in a microsecond: a slot is a nanosecond.
Drawing Small() {
  Drawing drawing;
  drawing.begin = 5'000;
  drawing.end = 6'000;
  for (const uint32_t cpu : {0U, 3U}) drawing.cpus.emplace_back().cpu = cpu;
  for (const fxt::Koid koid : {10U, 20U}) {
    auto& lane = drawing.threads.emplace_back();
    lane.koid = koid;
    lane.slots.resize(Drawing::kSlots);
  }
  return drawing;
}

TEST(DrawingLayoutTest, LanesAreBelowEachOther) {
  Drawing drawing = Small();
  drawing.threads[0].spans = {
      {5'000, 5'500, "outer"}, {5'100, 5'200, "inner"}, {5'600, 5'700, "next"}};
  const DrawingLayout layout(drawing);
  EXPECT_LT(layout.OfCpu(0) + DrawingLayout::kHigh, layout.OfCpu(3));
  EXPECT_LT(layout.OfCpu(3) + DrawingLayout::kHigh, layout.OfThread(10));
  ASSERT_EQ(layout.SpansOf(10).size(), 2U);
  EXPECT_EQ(layout.SpansOf(10)[0].size(), 2U);
  EXPECT_EQ(layout.SpansOf(10)[1][0]->name, "inner");
  EXPECT_LE(layout.OfThread(10) + DrawingLayout::kPitch + 2 * DrawingLayout::kSpanPitch,
            layout.OfThread(20));
  EXPECT_GE(layout.bottom(), layout.OfThread(20) + DrawingLayout::kHigh);
  EXPECT_DOUBLE_EQ(layout.X(5'000), DrawingLayout::kLeft);
  EXPECT_DOUBLE_EQ(layout.X(5'250), DrawingLayout::kLeft + 250);
}

TEST(DrawingLayoutTest, WakeupsGoFromLaneToLane) {
  Drawing drawing = Small();
  drawing.wakes = {{5'100, 10, 20},           {5'101, 10, 20}, {5'300, 20, 10},
                   {5'400, std::nullopt, 10}, {5'500, 10, 99}, {9'000, 10, 20}};
  const DrawingLayout layout(drawing);
  ASSERT_EQ(layout.wakes().size(), 3U);
  EXPECT_EQ(layout.joined_wakes(), 1U);
  EXPECT_EQ(layout.wakes()[0].from, layout.OfThread(10));
  EXPECT_EQ(layout.wakes()[0].to, layout.OfThread(20));
  EXPECT_EQ(layout.wakes()[1].to, layout.OfThread(10));
  EXPECT_LT(layout.wakes()[2].from, layout.OfThread(10));
}

TEST(DrawingLayoutTest, NamesDoNotCrossMarks) {
  Drawing drawing = Small();
  drawing.losses = {{5'500, 3, 1}};
  const DrawingLayout layout(drawing);
  const double x = layout.X(5'500);
  const double y = layout.OfCpu(3);
  EXPECT_TRUE(layout.IsCrossed(x - 20, x + 20, y, y + DrawingLayout::kHigh));
  EXPECT_FALSE(layout.IsCrossed(x + 20, x + 40, y, y + DrawingLayout::kHigh));
  EXPECT_FALSE(layout.IsCrossed(x - 20, x + 20, layout.OfThread(20), layout.bottom()));
}

}  // namespace
}  // namespace analyze
