// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/merge_lane.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "unit/capture/rings/slot_producer.h"

namespace capture {
namespace {

constexpr uint64_t kNear = 1'000'000;

// Bodies of what the lane offers up to time `horizon`.
std::vector<uint64_t> Take(MergeLane& lane, uint64_t horizon) {
  std::vector<uint64_t> bodies;
  lane.ring().LoadHead();
  for (auto peek = lane.Load(kNear); peek == SlotRing::Peek::kEvent && lane.time() <= horizon;
       peek = lane.Step(kNear)) {
    EXPECT_EQ(lane.Next().time, lane.time());
    bodies.push_back(lane.Next().body);
  }
  return bodies;
}

using Bodies = std::vector<uint64_t>;

TEST(MergeLaneTest, FreesConsumedSlotsWithinARun) {
  SlotProducer producer;
  MergeLane lane(producer.Ring(), 3);
  EXPECT_EQ(lane.cpu(), 3u);
  for (uint64_t time = 1; time <= 10; ++time) producer.Put(time, time);
  EXPECT_EQ(Take(lane, 4), (Bodies{1, 2, 3, 4}));
  lane.Release();
  EXPECT_EQ(producer.tail(), 4u);
  lane.Release();
  EXPECT_EQ(producer.tail(), 4u) << "nothing was taken since";
  EXPECT_EQ(Take(lane, 100), (Bodies{5, 6, 7, 8, 9, 10}));
  lane.Release();
  EXPECT_EQ(producer.tail(), 10u);
}

TEST(MergeLaneTest, HeldEventsOutliveTheirSlots) {
  SlotProducer producer;
  MergeLane lane(producer.Ring(), 0);
  producer.Put(50, 1);
  producer.Put(10, 2);
  EXPECT_EQ(Take(lane, 10), (Bodies{2}));
  lane.Release();
  EXPECT_EQ(producer.tail(), 2u);
  // The slots are written again.
  for (uint64_t i = 0; i < SlotProducer::kSlots - 1; ++i) producer.Put(20, 100);
  EXPECT_EQ(Take(lane, 49).size(), SlotProducer::kSlots - 1);
  lane.Release();
  producer.Put(60, 3);
  EXPECT_EQ(Take(lane, 100), (Bodies{1, 3}));
}

TEST(MergeLaneTest, HeldEventsKeepTheOrderOfEqualTimes) {
  SlotProducer producer;
  MergeLane lane(producer.Ring(), 0);
  producer.Put(50, 1);
  producer.Put(50, 2);
  producer.Put(50, 3);
  producer.Put(10, 4);
  producer.Put(50, 5);
  EXPECT_EQ(Take(lane, 100), (Bodies{4, 1, 2, 3, 5}));
}

TEST(MergeLaneTest, ReportsWhyNothingIsOffered) {
  SlotProducer producer;
  MergeLane lane(producer.Ring(), 0);
  lane.ring().LoadHead();
  EXPECT_EQ(lane.Load(kNear), SlotRing::Peek::kEmpty);
  const uint64_t position = producer.Claim();
  producer.Put(20, 2);
  lane.ring().LoadHead();
  EXPECT_EQ(lane.Load(kNear), SlotRing::Peek::kInFlight);
  producer.Commit(position, 10, 1);
  EXPECT_EQ(Take(lane, 100), (Bodies{1, 2}));
}

}  // namespace
}  // namespace capture
