// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/oldest_time.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "unit/capture/rings/slot_producer.h"

namespace capture {
namespace {

constexpr uint64_t kSlots = SlotProducer::kSlots;

TEST(OldestTimeTest, ReturnsTheTimeOfTheOldestSlot) {
  SlotProducer cpu0;
  const HeadHistory history;
  for (uint64_t i = 0; i < kSlots; ++i) cpu0.Put(1'000 + i, 0);
  EXPECT_EQ(OldestTime(cpu0.Ring(), 0, 0, history, 5'000), std::nullopt) << "nothing has gone";
  cpu0.Put(2'000, 0);
  EXPECT_EQ(OldestTime(cpu0.Ring(), 0, 0, history, 5'000), 1'001u);
  EXPECT_EQ(OldestTime(cpu0.Ring(), 0, 1, history, 5'000), std::nullopt) << "nothing that counts";
  EXPECT_EQ(OldestTime(cpu0.Ring(), 1, 0, history, 5'000), 1'001u);
}

TEST(OldestTimeTest, IgnoresSlotsOfAnotherLap) {
  SlotProducer cpu0;
  const HeadHistory history;
  for (uint64_t i = 0; i < kSlots; ++i) cpu0.Put(1'000 + i, 0);
  cpu0.Put(2'000, 0);
  // A program that had claimed its slot long ago.
  cpu0.Commit(1 + 2 * kSlots, 1'000, 0);
  EXPECT_EQ(OldestTime(cpu0.Ring(), 0, 0, history, 5'000), std::nullopt);
}

// Whose times are their positions.
TEST(OldestTimeTest, NeverReturnsTheTimeOfANewSlot) {
  constexpr unsigned kShift = 4;
  constexpr uint64_t kCapacity = uint64_t{1} << kShift;
  fxr_ring_control control{};
  std::vector<fxr_slot> slots(kCapacity);
  const SlotRing ring(&control, slots.data(), kShift);
  const HeadHistory history;
  std::atomic<bool> ends = false;
  std::thread kernel([&] {
    while (!ends) {
      const uint64_t position = __atomic_fetch_add(&control.head, 1, __ATOMIC_SEQ_CST);
      fxr_slot& slot = slots[position & (kCapacity - 1)];
      __atomic_store_n(&slot.body, 0, __ATOMIC_RELAXED);
      const uint64_t commit =
          fxr_pack_commit(FXR_SLOT_SWITCH, 0, position, (position >> kShift) + 1);
      __atomic_store_n(&slot.commit, commit, __ATOMIC_RELEASE);
    }
  });
  uint64_t found = 0;
  for (int i = 0; i < 300'000 || found == 0; ++i) {
    const uint64_t now = ring.LiveHead();
    const auto oldest = OldestTime(ring, 0, 0, history, now);
    if (!oldest) continue;
    ++found;
    ASSERT_LE(*oldest + kCapacity, ring.LiveHead());
  }
  ends = true;
  kernel.join();
}

}  // namespace
}  // namespace capture
