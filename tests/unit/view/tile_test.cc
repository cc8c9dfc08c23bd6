// SPDX-License-Identifier: BSD-2-Clause
#include "view/tile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace view {
namespace {

struct Item {
  double begin = 0;
  double end = 0;
  uint32_t value = 0;
  uint32_t info = 0;
};

std::vector<Item> ItemsOf(const std::string& tile) {
  uint32_t count = 0;
  std::memcpy(&count, tile.data(), sizeof count);
  std::vector<Item> items(count);
  EXPECT_EQ(tile.size(), sizeof count + count * sizeof(Item));
  std::memcpy(items.data(), tile.data() + sizeof count, count * sizeof(Item));
  return items;
}

TEST(TileTest, LongIntervalsAreExact) {
  IntervalLanes lanes(size_t{2} << 20);
  const uint32_t lane = lanes.AddLane();
  lanes.Append(lane, {.begin = 1000, .end = 2000, .state = LaneState::kRun, .value = 3});
  lanes.Append(lane,
               {.begin = 2000, .end = 5000, .state = LaneState::kSleep, .value = 9, .object = 4});
  std::string out;
  AppendStates(lanes, lane, {.origin = 1500, .from = 0, .to = 10'000, .pixel = 100}, out);
  const auto items = ItemsOf(out);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].begin, -500);
  EXPECT_EQ(items[0].end, 500);
  EXPECT_EQ(items[0].value, 3U);
  EXPECT_EQ(items[0].info, 1U);
  EXPECT_EQ(items[1].value, 4U) << "what the sleep was for";
}

TEST(TileTest, ShortIntervalsAreMergedByPixel) {
  IntervalLanes lanes(size_t{8} << 20);
  const uint32_t lane = lanes.AddLane();
  for (uint64_t i = 0; i < 100'000; ++i) {
    lanes.Append(lane, {.begin = 10 * i, .end = 10 * i + 4, .state = LaneState::kRun, .value = 1});
    lanes.Append(lane, {.begin = 10 * i + 4, .end = 10 * i + 10, .state = LaneState::kSleep});
  }
  for (const uint64_t pixel : {1000U, 10'000U}) {
    std::string out;
    AppendStates(lanes, lane, {.origin = 0, .from = 0, .to = 1'000'000, .pixel = pixel}, out);
    const auto items = ItemsOf(out);
    EXPECT_LE(items.size(), 2 * 1'000'000 / pixel);
    EXPECT_GE(items.size(), 1'000'000 / pixel / 2);
    double end = 0;
    for (const Item& item : items) {
      EXPECT_GE(item.begin, end);
      end = item.end;
      EXPECT_EQ(item.info & 0xff, static_cast<uint32_t>(LaneState::kSleep));
      EXPECT_NEAR(item.info >> 24, 0.4 * 255, 12) << "running";
    }
  }
}

TEST(TileTest, SpansAreInTheirRows) {
  EventBudget budget{.max_bytes = 1 << 20};
  SpanLane lane;
  lane.Add({.begin = 0, .end = 1000, .name = 1}, budget);
  lane.Add({.begin = 100, .end = 101, .name = 2}, budget);
  lane.Add({.begin = 102, .end = 105, .name = 3}, budget);
  std::string out;
  AppendSpans(lane, {.origin = 0, .from = 0, .to = 2000, .pixel = 50}, out);
  const auto items = ItemsOf(out);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].info & 0xff, 0U);
  EXPECT_EQ(items[1].info & 0x1ff, 1U | 1U << 8);
  EXPECT_EQ(items[1].value, 3U) << "the longest of them";
  EXPECT_EQ(items[1].end, 105);
}

TEST(TileTest, CountersBeginWithTheValueBefore) {
  EventBudget budget{.max_bytes = 1 << 20};
  PointLane<Sample> lane;
  lane.Add({10, 5}, budget);
  lane.Add({120, 7}, budget);
  lane.Add({121, -2}, budget);
  std::string out;
  AppendSamples(lane, {.origin = 0, .from = 100, .to = 200, .pixel = 50}, out);
  const auto items = ItemsOf(out);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].begin, 100);
  EXPECT_EQ(items[0].end, 5) << "its value";
  EXPECT_EQ(items[1].end, -2);
  float most = 0;
  std::memcpy(&most, &items[1].info, sizeof most);
  EXPECT_EQ(most, 7);
}

}  // namespace
}  // namespace view
