// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/side_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "unit/capture/rings/side_producer.h"

namespace capture {
namespace {

// Tids of what waits, taken out.
std::vector<uint32_t> Take(SideRing& ring) {
  std::vector<uint32_t> tids;
  for (const fxr_side_header* event = ring.Front(); event; event = ring.Front()) {
    tids.push_back(reinterpret_cast<const fxr_task*>(event)->tid);
    ring.Pop();
  }
  return tids;
}

bool Collect(SideRing& ring) {
  ring.LoadHead();
  return ring.Collect();
}

using Tids = std::vector<uint32_t>;

TEST(SideRingTest, DeliversInTimeOrder) {
  SideProducer producer;
  SideRing ring = producer.Ring();
  EXPECT_TRUE(Collect(ring));
  EXPECT_EQ(ring.Front(), nullptr);
  producer.PutFork(30, 3);
  producer.PutFork(10, 1);
  producer.PutFork(30, 4);
  producer.PutFork(20, 2);
  EXPECT_TRUE(Collect(ring));
  EXPECT_EQ(producer.consumed(), producer.produced());
  EXPECT_EQ(ring.Front()->time, 10u);
  EXPECT_EQ(Take(ring), (Tids{1, 2, 3, 4}));
  EXPECT_EQ(ring.collected(), 4u);
}

TEST(SideRingTest, KeepsQueuedEvents) {
  SideProducer producer;
  SideRing ring = producer.Ring();
  producer.PutFork(10, 1);
  producer.PutFork(50, 5);
  EXPECT_TRUE(Collect(ring));
  ring.Pop();
  producer.PutFork(40, 4);
  EXPECT_TRUE(Collect(ring));
  EXPECT_EQ(Take(ring), (Tids{4, 5}));
}

TEST(SideRingTest, StopsAtAnUncommittedEvent) {
  SideProducer producer;
  SideRing ring = producer.Ring();
  producer.PutFork(10, 1);
  fxr_task late{};
  late.header = {.time = 20, .type = FXR_SIDE_FORK, .flags = 0, .cpu = 0, .size = sizeof(late)};
  late.tid = 2;
  const size_t position = producer.Reserve(sizeof(late));
  producer.PutFork(30, 3);
  EXPECT_FALSE(Collect(ring));
  EXPECT_EQ(producer.consumed(), position);
  EXPECT_EQ(Take(ring), Tids{1});
  producer.Submit(position, &late, sizeof(late));
  EXPECT_TRUE(Collect(ring));
  EXPECT_EQ(Take(ring), (Tids{2, 3}));
}

TEST(SideRingTest, SkipsDiscardedEventsAndPokes) {
  SideProducer producer;
  SideRing ring = producer.Ring();
  producer.Discard(producer.Reserve(sizeof(fxr_task)), sizeof(fxr_task));
  producer.Put(fxr_side_header{
      .time = 5, .type = FXR_SIDE_POKE, .flags = 0, .cpu = 0, .size = sizeof(fxr_side_header)});
  producer.Put(uint32_t{7});  // shorter than any event
  EXPECT_EQ(ring.pending(), 0u);
  EXPECT_TRUE(Collect(ring));
  EXPECT_EQ(ring.Front(), nullptr);
  EXPECT_EQ(ring.collected(), 0u);
  EXPECT_EQ(producer.consumed(), producer.produced());
}

TEST(SideRingTest, ReadsEventsThatWrap) {
  SideProducer producer;
  SideRing ring = producer.Ring();
  Tids seen, expected;
  for (uint32_t tid = 1; tid <= 200; ++tid) {
    producer.PutFork(tid, tid);
    expected.push_back(tid);
    if (tid % 10 != 0) continue;
    EXPECT_TRUE(Collect(ring));
    for (uint32_t taken : Take(ring)) seen.push_back(taken);
  }
  EXPECT_GT(producer.produced(), 4 * SideProducer::kBytes);
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace capture
