// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/latency_watch.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/session/trigger/slot_script.h"

namespace session {
namespace {

constexpr uint64_t kNever = UINT64_MAX;
using Found = LatencyWatch::Found;

std::vector<Found> Scan(LatencyWatch& watch, uint64_t now) {
  std::vector<Found> all;
  watch.Scan(now, [&](const Found& found) { all.push_back(found); });
  return all;
}

TEST(LatencyWatchTest, MeasuresFromAWakeupOnOneCpuToASwitchOnAnother) {
  SlotScript cpu0, cpu1;
  LatencyWatch watch({cpu0.Ring(), cpu1.Ring()}, {50, kNever, kNever, kNever});
  cpu0.Switch(90, 7, 0, FXR_STATE_INTERRUPTIBLE);
  cpu1.Waking(100, 7);
  cpu0.Switch(151, 0, 7);
  cpu0.Switch(160, 7, 0, FXR_STATE_INTERRUPTIBLE);
  cpu1.Waking(200, 7);
  cpu0.Switch(250, 0, 7);
  const std::vector<Found> found = Scan(watch, 300);
  ASSERT_EQ(found.size(), 1u) << "50 is not above 50";
  EXPECT_EQ(found[0].kind, TriggerKind::kWakeupLatency);
  EXPECT_EQ(found[0].time, 151u);
  EXPECT_EQ(found[0].value, 51u);
  EXPECT_EQ(found[0].tid, 7u);
}

TEST(LatencyWatchTest, ReportsTheStateOfASwitchOut) {
  SlotScript cpu0;
  LatencyWatch watch({cpu0.Ring()}, {kNever, 10, 20, 30});
  cpu0.Switch(100, 0, 7);
  cpu0.Switch(131, 7, 8, FXR_STATE_PREEMPTED);        // a slice of 31
  cpu0.Switch(142, 8, 7, FXR_STATE_UNINTERRUPTIBLE);  // runnable for 11
  cpu0.Switch(150, 7, 0, FXR_STATE_INTERRUPTIBLE);
  cpu0.Switch(163, 0, 8);  // asleep for 21
  const std::vector<Found> found = Scan(watch, 200);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, TriggerKind::kSlice);
  EXPECT_EQ(found[0].value, 31u);
  EXPECT_EQ(found[1].kind, TriggerKind::kRunnable);
  EXPECT_EQ(found[1].value, 11u);
  EXPECT_EQ(found[2].kind, TriggerKind::kOffCpu);
  EXPECT_EQ(found[2].value, 21u);
  EXPECT_EQ(found[2].state, static_cast<uint32_t>(FXR_STATE_UNINTERRUPTIBLE));
}

TEST(LatencyWatchTest, ANewThreadWaitsFromItsFirstWakeup) {
  SlotScript cpu0;
  LatencyWatch watch({cpu0.Ring()}, {50, 50, 50, kNever});
  cpu0.Waking(100, 7, true);
  cpu0.Switch(160, 0, 7);
  cpu0.Switch(170, 7, 0, FXR_STATE_DEAD);
  // Another thread with the same tid.
  cpu0.Waking(300, 7, true);
  cpu0.Switch(310, 0, 7);
  const std::vector<Found> found = Scan(watch, 400);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, TriggerKind::kWakeupLatency);
  EXPECT_EQ(found[0].value, 60u);
}

// Thread 1 has no switch-out events, like process 1 on some virtual machines.
TEST(LatencyWatchTest, IgnoresDelaysWithAnUnknownStart) {
  SlotScript cpu0, cpu1;
  LatencyWatch watch({cpu0.Ring(), cpu1.Ring()}, {50, 50, 50, kNever});
  cpu0.Switch(10, 0, 8);
  cpu0.Waking(20, 1);
  cpu0.Switch(30, 8, 1, FXR_STATE_PREEMPTED);
  // It ran for long and was preempted at least once.
  cpu0.Switch(200, 8, 1, FXR_STATE_PREEMPTED);
  cpu0.Switch(210, 8, 9, FXR_STATE_INTERRUPTIBLE);
  // It ran on the other CPU, left it, and is woken only later.
  cpu1.Switch(220, 3, 0, FXR_STATE_INTERRUPTIBLE);
  cpu1.Switch(300, 3, 4, FXR_STATE_INTERRUPTIBLE);
  cpu0.Switch(400, 9, 1, FXR_STATE_INTERRUPTIBLE);
  std::vector<Found> found = Scan(watch, 500);
  std::erase_if(found, [](const Found& each) { return each.tid != 1; });
  EXPECT_TRUE(found.empty());
}

TEST(LatencyWatchTest, ADelayCountsOnce) {
  SlotScript cpu0;
  LatencyWatch watch({cpu0.Ring()}, {50, 50, 50, kNever});
  cpu0.Switch(10, 7, 8, FXR_STATE_INTERRUPTIBLE);
  cpu0.Waking(12, 7);
  cpu0.Switch(20, 8, 7, FXR_STATE_PREEMPTED);
  // Its switch-out is missing, so its next switch-in ends no known wait.
  cpu0.Switch(200, 8, 7, FXR_STATE_INTERRUPTIBLE);
  EXPECT_TRUE(Scan(watch, 300).empty());
}

TEST(LatencyWatchTest, DetectsDelaysDespiteAMissingSwitch) {
  SlotScript cpu0;
  LatencyWatch watch({cpu0.Ring()}, {50, kNever, kNever, kNever});
  cpu0.Switch(90, 7, 8, FXR_STATE_INTERRUPTIBLE);
  cpu0.Waking(100, 7);
  cpu0.Switch(160, 8, 1);
  cpu0.Switch(200, 7, 0, FXR_STATE_INTERRUPTIBLE);  // from 1 to 7, some time before
  const std::vector<Found> found = Scan(watch, 300);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, 60u);
  EXPECT_EQ(found[0].tid, 7u);
}

TEST(LatencyWatchTest, ContinuesAtTheLastSlotAndSkipsTooManySlots) {
  SlotScript cpu0;
  cpu0.Waking(10, 7);
  LatencyWatch watch({cpu0.Ring()}, {50, kNever, kNever, kNever});
  cpu0.Switch(100, 0, 7);
  EXPECT_TRUE(Scan(watch, 200).empty()) << "what was before it began is not looked at";
  cpu0.Switch(210, 7, 0, FXR_STATE_INTERRUPTIBLE);
  cpu0.Waking(220, 7);
  EXPECT_TRUE(Scan(watch, 230).empty());
  EXPECT_EQ(watch.skipped(), 0u);
  // The ring has nearly wrapped around, so the wakeup may belong to any thread.
  for (uint64_t i = 0; i < capture::SlotProducer::kSlots; ++i) cpu0.Switch(300 + i, 0, 0);
  cpu0.Switch(900, 0, 7);
  EXPECT_TRUE(Scan(watch, 1'000).empty());
  EXPECT_GT(watch.skipped(), 0u);
}

}  // namespace
}  // namespace session
