// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/slot_merger.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "capture/rings/slot_ring.h"
#include "unit/capture/rings/slot_producer.h"

namespace capture {
namespace {

using SeenSlots = std::vector<std::pair<uint64_t, uint64_t>>;

bool Drain(SlotMerger& merger, uint64_t horizon, SeenSlots* seen) {
  const bool whole = merger.Drain(horizon, horizon, [&](uint32_t, const SlotEvent& event) {
    seen->emplace_back(event.time, event.body);
  });
  merger.Release();
  return whole;
}

TEST(SlotMergerTest, KeepsEventsBeyondTheHorizon) {
  SlotProducer producer;
  SlotMerger merger;
  merger.AddRing(producer.Ring(), 0);
  producer.Put(10, 1);
  producer.Put(20, 2);
  SeenSlots seen;
  EXPECT_TRUE(Drain(merger, 15, &seen));
  EXPECT_EQ(seen, (SeenSlots{{10, 1}}));
  EXPECT_EQ(producer.tail(), 1u);
  EXPECT_TRUE(Drain(merger, 20, &seen));
  EXPECT_EQ(seen, (SeenSlots{{10, 1}, {20, 2}}));
}

TEST(SlotMergerTest, StopsAtAnUncommittedEvent) {
  SlotProducer a;
  SlotProducer b;
  SlotMerger merger;
  merger.AddRing(a.Ring(), 0);
  merger.AddRing(b.Ring(), 1);
  a.Put(10, 1);
  const uint64_t claimed = a.Claim();
  a.Put(30, 3);
  b.Put(25, 4);
  SeenSlots seen;
  EXPECT_FALSE(Drain(merger, 100, &seen));
  EXPECT_EQ(seen, (SeenSlots{{10, 1}}));
  a.Commit(claimed, 20, 2);
  EXPECT_TRUE(Drain(merger, 100, &seen));
  EXPECT_EQ(seen, (SeenSlots{{10, 1}, {20, 2}, {25, 4}, {30, 3}}));
}

TEST(SlotMergerTest, SortsInterruptedEventsByTime) {
  SlotProducer producer;
  SlotMerger merger;
  merger.AddRing(producer.Ring(), 0);
  // Claimed first and stamped last, as when interrupts came in between, one inside the other.
  producer.Put(30, 1);
  producer.Put(20, 2);
  producer.Put(10, 3);
  producer.Put(40, 4);
  SeenSlots seen;
  EXPECT_TRUE(Drain(merger, 100, &seen));
  EXPECT_EQ(seen, (SeenSlots{{10, 3}, {20, 2}, {30, 1}, {40, 4}}));
}

TEST(SlotMergerTest, CompletesTimesAcrossTheWrap) {
  const uint64_t wrap = uint64_t{3} << FXR_TIME_BITS;
  SlotProducer producer;
  SlotMerger merger;
  merger.AddRing(producer.Ring(), 0);
  producer.Put(wrap - 5, 1);
  producer.Put(wrap + 5, 2);
  SeenSlots seen;
  EXPECT_TRUE(Drain(merger, wrap + 10, &seen));
  EXPECT_EQ(seen, (SeenSlots{{wrap - 5, 1}, {wrap + 5, 2}}));
}

// As when interrupts, and others inside these, come between a program's claim and its stamp.
void PutNested(SlotProducer& producer, std::mt19937& random, unsigned depth, uint64_t* time,
               std::vector<uint64_t>* times) {
  const uint64_t position = producer.Claim();
  while (depth > 0 && random() % 3 == 0) PutNested(producer, random, depth - 1, time, times);
  *time += random() % 3;
  producer.Commit(position, *time, *time);
  times->push_back(*time);
}

TEST(SlotMergerTest, SortsNestedEventsByTime) {
  for (uint32_t rings : {1u, 2u, 3u, 9u}) {
    std::mt19937 random(rings);
    std::vector<SlotProducer> producers(rings);
    SlotMerger merger;
    for (uint32_t i = 0; i < rings; ++i) merger.AddRing(producers[i].Ring(), i);
    for (int round = 0; round < 2000; ++round) {
      std::vector<uint64_t> expected;
      const uint64_t begin = uint64_t{1000} * static_cast<uint64_t>(round);
      for (SlotProducer& producer : producers) {
        // One that is nested five deep has at most a few dozen others inside.
        uint64_t time = begin;
        while (producer.room() > SlotProducer::kSlots / 2) {
          PutNested(producer, random, 5, &time, &expected);
          ASSERT_LE(producer.room(), SlotProducer::kSlots);
        }
        ASSERT_LT(time, begin + 1000);
      }
      std::sort(expected.begin(), expected.end());
      SeenSlots seen;
      ASSERT_TRUE(Drain(merger, begin + 999, &seen));
      ASSERT_EQ(seen.size(), expected.size());
      for (size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].first, expected[i]) << rings;
    }
  }
}

// Many rings over many laps: everything comes out once, in time order, and laps do not get confused
// where their eight bits wrap.
TEST(SlotMergerTest, MergesAnyMixOfRingsInOrder) {
  for (size_t rings : {1u, 2u, 3u, 16u, 256u}) {
    std::vector<SlotProducer> producers(rings);
    SlotMerger merger;
    for (size_t i = 0; i < rings; ++i) {
      merger.AddRing(producers[i].Ring(), static_cast<uint32_t>(i));
    }
    std::mt19937_64 random(rings);
    SeenSlots seen;
    uint64_t time = 1;
    uint64_t put = 0;
    const uint64_t wanted = rings == 1 ? 300 * SlotProducer::kSlots : 20'000;
    while (put < wanted) {
      for (size_t i = 0; i < 40 * rings && put < wanted; ++i) {
        SlotProducer& producer = producers[random() % rings];
        if (producer.room() == 0) continue;
        producer.Put(time++, put++);
      }
      ASSERT_TRUE(Drain(merger, time, &seen));
    }
    ASSERT_EQ(seen.size(), put);
    for (uint64_t i = 0; i < put; ++i) ASSERT_EQ(seen[i].second, i) << rings << " rings";
  }
}

// CPU time for an event when so many rings are full of events in random order.
double NanosecondsPerEvent(size_t rings) {
  constexpr uint64_t kEvents = 100'000;
  std::vector<SlotProducer> producers(rings);
  SlotMerger merger;
  for (size_t i = 0; i < rings; ++i) merger.AddRing(producers[i].Ring(), static_cast<uint32_t>(i));
  std::mt19937_64 random(rings);
  std::vector<size_t> order;
  for (size_t i = 0; i < rings * SlotProducer::kSlots; ++i) order.push_back(i % rings);
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  uint64_t events = 0;
  uint64_t sum = 0;
  double spent = 0;
  for (uint64_t time = 1; events < kEvents; time += order.size()) {
    // A fresh order each time: an old one would be foreseen.
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i = 0; i < order.size(); ++i) producers[order[i]].Put(time + i, i);
    const double before = now();
    merger.Drain(time + order.size(), time, [&](uint32_t, const SlotEvent& event) {
      sum += event.body;
      ++events;
    });
    merger.Release();
    spent += now() - before;
  }
  EXPECT_GT(sum, 0u);
  return spent / static_cast<double>(events);
}

// From 16 rings to 256 the logarithm doubles; a look at every ring for every event would cost 16
// times as much. Twice the doubling is allowed, for caches that are not that large.
TEST(SlotMergerTest, CostGrowsNoFasterThanTheLogarithmOfTheNumberOfRings) {
  double few = 1e9;
  double many = 1e9;
  for (int i = 0; i < 7; ++i) {
    few = std::min(few, NanosecondsPerEvent(16));
    many = std::min(many, NanosecondsPerEvent(256));
  }
  printf("16 rings: %.1f ns per event; 256 rings: %.1f ns\n", few, many);
  EXPECT_LT(many, 4 * few);
}

}  // namespace
}  // namespace capture
