// SPDX-License-Identifier: BSD-2-Clause
// Slots and what is longer than a slot, as a handler gets them.
#include "capture/slot_stream.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "capture/event_handler.h"
#include "fxt_record/long_event.h"
#include "unit/capture/rings/side_producer.h"
#include "unit/capture/rings/slot_producer.h"

#define FXR_LONG_NOTE 1
#define FXR_NOTE_LONG(F, body) \
  F(body, fxr_u32, tid)        \
  F(body, fxr_s64, distance)   \
  F(body, fxr_u8, kind)
FXR_DEFINE_LONG(NOTE, note, FXR_NOTE_LONG)

namespace capture {
namespace {

// As bpf/ring.h reserves it (long_reserve) and a program fills it in.
void PutNote(SideProducer& producer, uint64_t time, const fxr_note_long& note,
             std::string_view text) {
  constexpr size_t kSize = FXR_LONG_SIZE(note, 40);
  alignas(8) std::byte room[kSize] = {};
  auto* event = reinterpret_cast<fxr_long*>(room);
  event->header = {.time = time, .type = FXR_SIDE_LONG, .flags = 0, .cpu = 1, .size = kSize};
  event->category = FXR_CATEGORY_LOG;
  fxr_pack_note(event, note, static_cast<fxr_u32>(text.size()));
  std::memcpy(fxr_note_bytes(event), text.data(), text.size());
  const size_t position = producer.Reserve(kSize);
  producer.Submit(position, room, kSize);
}

// The calls of a handler.
struct Listener {
  void OnClockOffset(int64_t) {}
  void OnSnapshotTask(const fxr_task&) {}
  void OnStart(uint64_t) {}
  void OnSlot(uint32_t cpu, uint64_t time, uint64_t, uint64_t body) {
    heard.push_back("slot " + std::to_string(time) + " cpu" + std::to_string(cpu) + " " +
                    std::to_string(body));
  }
  void OnSideEvent(const fxr_side_header& header) {
    const auto& event = reinterpret_cast<const fxr_long&>(header);
    fxr_note_long note{};
    ASSERT_EQ(header.type, FXR_SIDE_LONG);
    ASSERT_TRUE(fxr_unpack_note(&event, &note));
    heard.push_back("note " + std::to_string(header.time) + " " + std::to_string(note.tid) + " " +
                    std::to_string(note.distance) + " " + std::to_string(note.kind) + " " +
                    std::string(static_cast<const char*>(fxr_long_bytes(&event)), event.bytes));
  }
  void OnGap(uint32_t, uint64_t) {}
  void OnBranchSample(const perf::BranchStackSample&) {}
  void OnMapping(uint64_t, const perf::MmapRecord&) {}
  void OnLoss(int32_t, uint64_t, uint32_t, uint64_t) {}
  void OnTick(uint64_t) {}
  void OnFinalTask(const fxr_task&) {}

  std::vector<std::string> heard;
};

class SideEvents final : public OtherEvents {
 public:
  SideEvents(SideRing& ring, EventHandler& handler) : ring_(ring), handler_(handler) {}
  uint64_t NextTime() const override { return ring_.Front() ? ring_.Front()->time : UINT64_MAX; }
  void DeliverUpTo(uint64_t time) override {
    for (; NextTime() <= time && ring_.Front(); ring_.Pop()) handler_.OnSideEvent(*ring_.Front());
  }

 private:
  SideRing& ring_;
  EventHandler& handler_;
};

TEST(SlotStreamTest, DeliversLongEventsInTimeOrder) {
  SlotProducer first, second;
  SlotMerger merger;
  merger.AddRing(first.Ring(), 0);
  merger.AddRing(second.Ring(), 1);
  SideProducer side;
  SideRing ring = side.Ring();
  first.Put(10, 1);
  first.Put(30, 2);
  second.Put(20, 3);
  second.Put(50, 4);
  PutNote(side, 40, {.tid = 7, .distance = -5, .kind = 200}, "forty bytes at most");
  PutNote(side, 15, {.tid = 0x3fffff, .distance = INT64_MIN, .kind = 0}, "");
  PutNote(side, 60, {}, "later");
  ring.LoadHead();
  ASSERT_TRUE(ring.Collect());
  merger.LoadHeads();

  Listener listener;
  HandlerOf handler(listener);
  SideEvents others(ring, handler);
  SlotStream stream(merger, others, 55, 55);
  EXPECT_TRUE(handler.OnSlots(stream));
  const std::vector<std::string> expected = {
      "slot 10 cpu0 1", "note 15 4194303 -9223372036854775808 0 ", "slot 20 cpu1 3",
      "slot 30 cpu0 2", "note 40 7 -5 200 forty bytes at most",    "slot 50 cpu1 4",
  };
  EXPECT_EQ(listener.heard, expected);
  EXPECT_EQ(ring.Front()->time, 60u);
}

TEST(SlotStreamTest, RejectsTruncatedLongEvents) {
  alignas(8) std::byte room[FXR_LONG_SIZE(note, 8)] = {};
  auto* event = reinterpret_cast<fxr_long*>(room);
  event->header.size = sizeof(room);
  fxr_note_long note{};
  fxr_pack_note(event, {.tid = 1, .distance = 2, .kind = 3}, 8);
  EXPECT_TRUE(fxr_unpack_note(event, &note));
  EXPECT_EQ(note.distance, 2);
  event->bytes = 9;
  EXPECT_FALSE(fxr_unpack_note(event, &note));
  event->bytes = 0;
  event->words = 255;
  EXPECT_FALSE(fxr_long_is_whole(event));
  fxr_pack_note(event, {}, 0);
  event->header.size = sizeof(fxr_long) + 8;
  EXPECT_FALSE(fxr_unpack_note(event, &note));
  event->header.size = sizeof(room);
  event->type = FXR_LONG_NOTE + 1;
  EXPECT_FALSE(fxr_unpack_note(event, &note));
}

}  // namespace
}  // namespace capture
