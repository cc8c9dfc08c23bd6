// SPDX-License-Identifier: BSD-2-Clause
#include "view/interval_lanes.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace view {
namespace {

std::vector<Interval> All(const IntervalLanes& lanes, uint32_t lane, uint64_t from, uint64_t to) {
  std::vector<Interval> all;
  lanes.Visit(
      lane, from, to, 0, [&](const Interval& one) { all.push_back(one); },
      [&](const ChunkSummary&) { ADD_FAILURE() << "a summary"; });
  return all;
}

TEST(IntervalLanesTest, KeepsAppendedIntervals) {
  IntervalLanes lanes(size_t{64} << 20);
  std::mt19937_64 random(33);
  std::vector<uint32_t> numbers = {lanes.AddLane(), lanes.AddLane(), lanes.AddLane()};
  std::vector<std::vector<Interval>> expected(numbers.size());
  std::vector<uint64_t> ends = {1000, uint64_t{1} << 60, 5};
  for (int i = 0; i < 20'000; ++i) {
    const size_t lane = random() % numbers.size();
    const uint64_t length = uint64_t{1} << random() % 40;
    Interval one{.begin = ends[lane],
                 .end = ends[lane] + length,
                 .state = static_cast<LaneState>(random() % 10),
                 .by_interrupt = random() % 2 == 0,
                 .is_cut = random() % 2 == 0};
    if (random() % 2 == 0)
      one.value = static_cast<uint32_t>(random() % (uint64_t{1} << random() % 32));
    if (random() % 2 == 0) one.object = static_cast<uint32_t>(random() % 100'000);
    ends[lane] = one.end;
    expected[lane].push_back(one);
    lanes.Append(numbers[lane], one);
  }
  for (size_t lane = 0; lane < numbers.size(); ++lane) {
    const auto found = All(lanes, numbers[lane], 0, UINT64_MAX);
    ASSERT_EQ(found.size(), expected[lane].size());
    for (size_t i = 0; i < found.size(); ++i) {
      const Interval& wanted = expected[lane][i];
      EXPECT_EQ(found[i].begin, wanted.begin);
      EXPECT_EQ(found[i].end, wanted.end);
      EXPECT_EQ(found[i].state, wanted.state);
      EXPECT_EQ(found[i].by_interrupt, wanted.by_interrupt);
      EXPECT_EQ(found[i].is_cut, wanted.is_cut);
      EXPECT_EQ(found[i].value, wanted.value);
      EXPECT_EQ(found[i].object, wanted.object);
    }
    const Interval& middle = expected[lane][expected[lane].size() / 2];
    const auto here = All(lanes, numbers[lane], middle.begin, middle.begin + 1);
    ASSERT_EQ(here.size(), 1U);
    EXPECT_EQ(here[0].end, middle.end);
  }
}

TEST(IntervalLanesTest, HolesAreAbsentAndOverlapsAreCut) {
  IntervalLanes lanes(size_t{2} << 20);
  const uint32_t lane = lanes.AddLane();
  lanes.Append(lane, {.begin = 10, .end = 20, .state = LaneState::kRun});
  lanes.Append(lane, {.begin = 30, .end = 40, .state = LaneState::kSleep});
  lanes.Append(lane, {.begin = 35, .end = 50, .state = LaneState::kRun});
  lanes.Append(lane, {.begin = 5, .end = 45, .state = LaneState::kBlocked});
  const auto all = All(lanes, lane, 0, 100);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].state, LaneState::kAbsent);
  EXPECT_EQ(all[3].begin, 40U);
  EXPECT_EQ(all[3].end, 50U);
  EXPECT_EQ(lanes.TimeIn(lane, LaneState::kRun), 20U);
}

TEST(IntervalLanesTest, KeepsOnlySharesBeyondTheLimit) {
  IntervalLanes lanes(size_t{3} << 20);
  const uint32_t lane = lanes.AddLane();
  constexpr uint64_t kCount = 2'000'000;
  for (uint64_t i = 0; i < kCount; ++i) {
    lanes.Append(lane,
                 {.begin = 4000 * i, .end = 4000 * i + 1000, .state = LaneState::kRun, .value = 7});
    lanes.Append(lane,
                 {.begin = 4000 * i + 1000, .end = 4000 * i + 4000, .state = LaneState::kSleep});
  }
  EXPECT_GT(lanes.summarized(), 0U);
  double run = 0;
  uint64_t end = 0;
  lanes.Visit(
      lane, 0, UINT64_MAX, 0,
      [&](const Interval& one) {
        EXPECT_EQ(one.begin, end);
        end = one.end;
        if (one.state == LaneState::kRun) run += static_cast<double>(one.end - one.begin);
      },
      [&](const ChunkSummary& one) {
        EXPECT_EQ(one.begin, end);
        end = one.end;
        EXPECT_EQ(one.top_value, 7U);
        run += static_cast<double>(one.end - one.begin) * one.share[0] / 255;
      });
  EXPECT_EQ(end, 4000 * kCount);
  EXPECT_NEAR(run / static_cast<double>(end), 0.25, 0.01);
}

}  // namespace
}  // namespace view
