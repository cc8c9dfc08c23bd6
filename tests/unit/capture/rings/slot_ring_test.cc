// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/slot_ring.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "unit/capture/rings/slot_producer.h"

namespace capture {
namespace {

constexpr uint64_t kNearSlots = 1'000'000;
constexpr uint64_t kMax = 1000;

TEST(SlotRingTest, RunEndsAtTheHead) {
  SlotProducer producer;
  SlotRing ring = producer.Ring();
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 0u);
  for (uint64_t time : {10, 10, 20}) producer.Put(time, 0);
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 0u) << "not seen yet";
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 3u);
  ring.Advance(2);
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 1u);
  EXPECT_EQ(WholeTime(ring.front().commit, kNearSlots), 20u);
}

TEST(SlotRingTest, RunEndsBeforeAnUncommittedEvent) {
  SlotProducer producer;
  SlotRing ring = producer.Ring();
  producer.Put(10, 0);
  const uint64_t position = producer.Claim();
  producer.Put(30, 0);
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 1u);
  producer.Commit(position, 20, 0);
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 3u);
}

TEST(SlotRingTest, RunEndsBeforeAnOvertakenEvent) {
  SlotProducer producer;
  SlotRing ring = producer.Ring();
  for (uint64_t time : {10, 20, 30, 25, 40}) producer.Put(time, 0);
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 2u);
  ring.Advance(2);
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 0u);
}

TEST(SlotRingTest, EventsOfOneTimeAreOvertakenTogether) {
  SlotProducer producer;
  SlotRing ring = producer.Ring();
  for (uint64_t time : {10, 30, 30, 20, 40}) producer.Put(time, 0);
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 1u);
  EXPECT_EQ(ring.InOrder(3, kNearSlots), 1u) << "what overtakes them was not looked at";
  EXPECT_FALSE(ring.IsOvertaken(kNearSlots));
  ring.Advance(1);
  EXPECT_TRUE(ring.IsOvertaken(kNearSlots));
  ring.Advance(2);
  EXPECT_FALSE(ring.IsOvertaken(kNearSlots));
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 2u);
}

// A cut read leaves its last event for the next one, because the event after it was not read.
TEST(SlotRingTest, ARunHasABoundAndStaysInOneLap) {
  SlotProducer producer;
  SlotRing ring = producer.Ring();
  for (uint64_t time = 1; time <= SlotProducer::kSlots; ++time) producer.Put(time, 0);
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(8, kNearSlots), 7u);
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), SlotProducer::kSlots);
  ring.Advance(SlotProducer::kSlots - 4);
  ring.Release();
  for (uint64_t time = 100; time < 110; ++time) producer.Put(time, 0);
  ring.LoadHead();
  EXPECT_EQ(ring.InOrder(kMax, kNearSlots), 3u);
}

}  // namespace
}  // namespace capture
