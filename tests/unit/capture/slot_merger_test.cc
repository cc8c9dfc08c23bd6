// SPDX-License-Identifier: BSD-2-Clause
#include "capture/slot_merger.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "capture/slot_ring.h"

namespace capture {
namespace {

constexpr unsigned kShift = 6;
constexpr uint64_t kSlots = uint64_t{1} << kShift;

// The kernel's end of a ring, as bpf/ring.h fills it.
class Producer {
 public:
  Producer() : slots_(kSlots) {}
  SlotRing Ring() { return SlotRing(&control_, slots_.data(), kShift); }
  uint64_t Claim() { return control_.head++; }
  void Commit(uint64_t position, uint64_t time, uint64_t body) {
    fxr_slot& slot = slots_[position & (kSlots - 1)];
    slot.body = body;
    slot.commit = (time & FXR_TIME_MASK) | uint64_t{FXR_SLOT_SWITCH} << FXR_TYPE_SHIFT |
                  (((position >> kShift) + 1) & FXR_LAP_MASK) << FXR_LAP_SHIFT;
  }
  void Put(uint64_t time, uint64_t body) { Commit(Claim(), time, body); }
  uint64_t room() const { return kSlots - (control_.head - control_.tail); }
  uint64_t tail() const { return control_.tail; }

 private:
  fxr_ring_control control_{};
  std::vector<fxr_slot> slots_;
};

using Seen = std::vector<std::pair<uint64_t, uint64_t>>;

bool Drain(SlotMerger& merger, uint64_t horizon, Seen* seen) {
  const bool whole = merger.Drain(horizon, horizon, [&](uint32_t, const SlotEvent& event) {
    seen->emplace_back(event.time, event.body);
  });
  merger.Release();
  return whole;
}

TEST(SlotMergerTest, EventsBeyondTheHorizonWait) {
  Producer producer;
  SlotMerger merger;
  merger.AddRing(producer.Ring(), 0);
  producer.Put(10, 1);
  producer.Put(20, 2);
  Seen seen;
  EXPECT_TRUE(Drain(merger, 15, &seen));
  EXPECT_EQ(seen, (Seen{{10, 1}}));
  EXPECT_EQ(producer.tail(), 1u);
  EXPECT_TRUE(Drain(merger, 20, &seen));
  EXPECT_EQ(seen, (Seen{{10, 1}, {20, 2}}));
}

TEST(SlotMergerTest, StopsAtAnEventInTheMaking) {
  Producer a;
  Producer b;
  SlotMerger merger;
  merger.AddRing(a.Ring(), 0);
  merger.AddRing(b.Ring(), 1);
  a.Put(10, 1);
  const uint64_t claimed = a.Claim();
  a.Put(30, 3);
  b.Put(25, 4);
  Seen seen;
  EXPECT_FALSE(Drain(merger, 100, &seen));
  EXPECT_EQ(seen, (Seen{{10, 1}}));
  a.Commit(claimed, 20, 2);
  EXPECT_TRUE(Drain(merger, 100, &seen));
  EXPECT_EQ(seen, (Seen{{10, 1}, {20, 2}, {25, 4}, {30, 3}}));
}

TEST(SlotMergerTest, AnEventThatWasInterruptedTakesItsPlaceByTime) {
  Producer producer;
  SlotMerger merger;
  merger.AddRing(producer.Ring(), 0);
  // Claimed first and stamped last, as when interrupts came in between, one inside the other.
  producer.Put(30, 1);
  producer.Put(20, 2);
  producer.Put(10, 3);
  producer.Put(40, 4);
  Seen seen;
  EXPECT_TRUE(Drain(merger, 100, &seen));
  EXPECT_EQ(seen, (Seen{{10, 3}, {20, 2}, {30, 1}, {40, 4}}));
}

TEST(SlotMergerTest, TimesAreMadeWholeAcrossTheirWrap) {
  const uint64_t wrap = uint64_t{3} << FXR_TIME_BITS;
  Producer producer;
  SlotMerger merger;
  merger.AddRing(producer.Ring(), 0);
  producer.Put(wrap - 5, 1);
  producer.Put(wrap + 5, 2);
  Seen seen;
  EXPECT_TRUE(Drain(merger, wrap + 10, &seen));
  EXPECT_EQ(seen, (Seen{{wrap - 5, 1}, {wrap + 5, 2}}));
}

// Many rings over many laps: everything comes out once, in time order, and laps do not get confused
// where their eight bits wrap.
TEST(SlotMergerTest, AnyMixOfRingsComesOutInOrder) {
  for (size_t rings : {1u, 2u, 3u, 16u, 256u}) {
    std::vector<Producer> producers(rings);
    SlotMerger merger;
    for (size_t i = 0; i < rings; ++i) {
      merger.AddRing(producers[i].Ring(), static_cast<uint32_t>(i));
    }
    std::mt19937_64 random(rings);
    Seen seen;
    uint64_t time = 1;
    uint64_t put = 0;
    const uint64_t wanted = rings == 1 ? 300 * kSlots : 20'000;
    while (put < wanted) {
      for (size_t i = 0; i < 40 * rings && put < wanted; ++i) {
        Producer& producer = producers[random() % rings];
        if (producer.room() == 0) continue;
        producer.Put(time++, put++);
      }
      ASSERT_TRUE(Drain(merger, time, &seen));
    }
    ASSERT_EQ(seen.size(), put);
    for (uint64_t i = 0; i < put; ++i) ASSERT_EQ(seen[i].second, i) << rings << " rings";
  }
}

}  // namespace
}  // namespace capture
