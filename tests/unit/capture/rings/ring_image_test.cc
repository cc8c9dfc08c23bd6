// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/ring_image.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>
#include <vector>

#include "unit/capture/rings/slot_producer.h"

namespace capture {
namespace {

using Seen = std::vector<std::pair<uint32_t, uint64_t>>;  // CPU, time

Seen ReadAll(RingImage image, uint64_t until = UINT64_MAX) {
  Seen seen;
  image.ForEach(until,
                [&](uint32_t cpu, const SlotEvent& event) { seen.emplace_back(cpu, event.time); });
  return seen;
}

TEST(RingImageTest, ExcludesLaterSlots) {
  SlotProducer one, other;
  one.Put(10, 0);
  other.Put(20, 0);
  one.Put(30, 0);
  const std::vector<SlotRing> rings = {one.Ring(), other.Ring()};
  auto image = RingImage::Copy(rings, {}, {.now = 30});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->slots(), 3u);
  EXPECT_EQ(image->complete_from(), 0u);
  for (uint64_t i = 0; i < 3 * SlotProducer::kSlots; ++i) one.Put(40 + i, 0);
  EXPECT_EQ(ReadAll(std::move(*image)), (Seen{{0, 10}, {1, 20}, {0, 30}}));
}

TEST(RingImageTest, IsCompleteFromTheLatestLeftEdge) {
  SlotProducer busy, idle;
  idle.Put(5, 0);
  for (uint64_t i = 0; i < 5 * SlotProducer::kSlots / 2; ++i) busy.Put(100 + i, 0);
  const std::vector<SlotRing> rings = {busy.Ring(), idle.Ring()};
  auto image = RingImage::Copy(rings, {}, {.now = 1'000});
  ASSERT_TRUE(image.ok());
  // Slots that were claimed near each other may be stamped in any order.
  EXPECT_GE(image->complete_from(), 100 + 3 * SlotProducer::kSlots / 2);
  const Seen seen = ReadAll(std::move(*image), 100 + 2 * SlotProducer::kSlots);
  EXPECT_EQ(seen.front(), (std::pair<uint32_t, uint64_t>{1, 5}));
  EXPECT_EQ(seen[1], (std::pair<uint32_t, uint64_t>{0, 100 + 3 * SlotProducer::kSlots / 2}));
  EXPECT_EQ(seen.back().second, 100 + 2 * SlotProducer::kSlots);
}

uint64_t ResidentPages() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

// Rings that are larger than the pieces in which memory is given back, and whose slots begin
// anywhere.
TEST(RingImageTest, GivesBackWhatWasRead) {
  constexpr unsigned kShift = 18;
  constexpr uint64_t kSlots = uint64_t{1} << kShift;
  constexpr uint64_t kEvents = kSlots * 3 / 2 + 77;
  std::array<fxr_ring_control, 2> controls{};
  std::array<std::vector<fxr_slot>, 2> slots = {std::vector<fxr_slot>(kSlots),
                                                std::vector<fxr_slot>(kSlots)};
  std::vector<SlotRing> rings;
  for (size_t i = 0; i < 2; ++i) {
    for (uint64_t k = 0; k < kEvents; ++k) {
      slots[i][k & (kSlots - 1)] = {
          fxr_pack_commit(FXR_SLOT_SWITCH, 0, 100 + 2 * k + i, (k >> kShift) + 1), k};
    }
    controls[i].head = kEvents;
    rings.emplace_back(&controls[i], slots[i].data(), kShift);
  }
  auto image = RingImage::Copy(rings, {}, {.now = 1'000'000'000});
  ASSERT_TRUE(image.ok());
  const uint64_t pages = ResidentPages();
  uint64_t seen = 0, next = 0, wrong = 0, least = pages;
  image->ForEach(UINT64_MAX, [&](uint32_t cpu, const SlotEvent& event) {
    const uint64_t k = (event.time - 100) / 2;
    if (seen != 0 && event.time != next) ++wrong;
    if (cpu != event.time % 2 || event.body != k) ++wrong;
    next = event.time + 1;
    if (++seen % kSlots == 0) least = std::min(least, ResidentPages());
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(seen, 2 * kSlots);
  const uint64_t page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LT(least + kSlots * sizeof(fxr_slot) / page_bytes, pages);
}

// A producer overtakes the copy.
TEST(RingImageTest, ExcludesSlotsOverwrittenDuringTheCopy) {
  SlotProducer producer;
  for (uint64_t i = 0; i < SlotProducer::kSlots; ++i) producer.Put(100 + i, 0);
  const std::vector<SlotRing> rings = {producer.Ring()};
  RingImageOptions options{.now = 1'000};
  options.between = [&] {
    for (uint64_t i = 0; i < 10; ++i) producer.Put(2'000 + i, 0);
  };
  auto image = RingImage::Copy(rings, {}, options);
  ASSERT_TRUE(image.ok());
  EXPECT_GE(image->complete_from(), 110u);
  const Seen seen = ReadAll(std::move(*image));
  ASSERT_EQ(seen.size(), SlotProducer::kSlots - 10);
  EXPECT_EQ(seen.front().second, 110u);
  EXPECT_EQ(seen.back().second, 100 + SlotProducer::kSlots - 1);
}

TEST(RingImageTest, CountsAnUncommittedSlotAsALoss) {
  SlotProducer producer;
  producer.Put(10, 0);
  producer.Claim();
  producer.Put(30, 0);
  const std::vector<SlotRing> rings = {producer.Ring()};
  auto image = RingImage::Copy(rings, {}, {.now = 40});
  ASSERT_TRUE(image.ok());
  std::vector<uint32_t> types;
  image->ForEach(UINT64_MAX, [&](uint32_t, const SlotEvent& event) {
    types.push_back(fxr_type_of(event.commit));
  });
  EXPECT_EQ(types, (std::vector<uint32_t>{FXR_SLOT_SWITCH, FXR_SLOT_LOSS, FXR_SLOT_SWITCH}));
}

TEST(RingImageTest, CompletesOldTimesFromTheHistory) {
  constexpr uint64_t kHour = uint64_t{3600} * 1'000'000'000;
  SlotProducer idle, busy;
  HeadHistory history;
  idle.Put(1 * kHour, 0);
  history.Add({1 * kHour + 1, {1, 0}});
  idle.Put(8 * kHour, 0);
  history.Add({8 * kHour + 1, {2, 0}});
  busy.Put(20 * kHour, 0);
  const std::vector<SlotRing> rings = {idle.Ring(), busy.Ring()};
  auto image = RingImage::Copy(rings, history, {.now = 20 * kHour + 5});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(ReadAll(std::move(*image)), (Seen{{0, kHour}, {0, 8 * kHour}, {1, 20 * kHour}}));
}

}  // namespace
}  // namespace capture
