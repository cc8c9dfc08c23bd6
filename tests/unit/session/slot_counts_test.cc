// SPDX-License-Identifier: BSD-2-Clause
#include "session/slot_counts.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/capture/rings/slot_producer.h"

namespace session {
namespace {

TEST(SlotCountsTest, CountsSlotsSinceTheLastUpdate) {
  capture::SlotProducer cpu0, cpu1;
  const std::array rings = {cpu0.Ring(), cpu1.Ring()};
  SlotCounts counts;
  counts.Update(rings);
  EXPECT_EQ(counts.counts(), CategoryCounts{});
  cpu0.Put(1, 0, FXR_SLOT_SWITCH);
  cpu0.Put(2, 0, FXR_SLOT_WAKING);
  cpu1.Put(3, 0, FXR_SLOT_IRQ_ENTRY);
  cpu1.Put(4, 0, FXR_SLOT_LOSS);
  counts.Update(rings);
  counts.Update(rings);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_SCHED], 2u);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_IRQ], 1u);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_OTHER], 0u);
  cpu0.Put(5, 0, FXR_SLOT_SWITCH);
  counts.Update(rings);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_SCHED], 3u);
}

TEST(SlotCountsTest, EstimatesOverwrittenSlots) {
  capture::SlotProducer cpu0;
  const std::array rings = {cpu0.Ring()};
  SlotCounts counts;
  for (uint64_t i = 0; i < 10 * capture::SlotProducer::kSlots; ++i) {
    cpu0.Put(i, 0, i % 4 == 0 ? FXR_SLOT_SOFTIRQ_ENTRY : FXR_SLOT_SWITCH);
  }
  counts.Update(rings);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_SCHED], 480u);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_SOFTIRQ], 160u);
}

TEST(SlotCountsTest, CountsEventsOfTheSideRing) {
  SlotCounts counts;
  counts.Count({1, FXR_SIDE_FORK, 0, 0, sizeof(fxr_task)});
  counts.Count({2, FXR_SIDE_RENAME, FXR_SIDE_NAMES_ONLY, 0, sizeof(fxr_rename)});
  counts.Count({3, FXR_SIDE_LOG, 0, 0, sizeof(fxr_log)});
  counts.Count({4, FXR_SIDE_POKE, 0, 0, sizeof(fxr_side_header)});
  fxr_side_slot aside{};
  aside.header = {5, FXR_SIDE_SLOT, 0, 0, sizeof(aside)};
  aside.slot.commit = fxr_pack_commit(FXR_SLOT_WAKING, 0, 5, 0);
  counts.Count(aside.header);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_TASK], 1u);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_LOG], 1u);
  EXPECT_EQ(counts.counts()[FXR_CATEGORY_SCHED], 1u);
}

}  // namespace
}  // namespace session
