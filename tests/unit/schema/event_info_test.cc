// SPDX-License-Identifier: BSD-2-Clause
#include "schema/event_info.h"

#include <gtest/gtest.h>

#include "fxt_record/slot_body.h"
#include "schema/names.h"

namespace schema {
namespace {

// The layouts as they are written down, by hand.
TEST(SlotBodyTest, FieldsFollowEachOtherFromBitZero) {
  const fxr_payload packed = fxr_pack_switch({.prev_tid = 100,
                                              .next_tid = FXR_TID_MASK,
                                              .prev_priority = 120,
                                              .next_priority = 255,
                                              .prev_state = FXR_STATE_PREEMPTED});
  EXPECT_EQ(packed.body, uint64_t{100} | uint64_t{0x3fffff} << 22 | uint64_t{120} << 44 |
                             uint64_t{255} << 52 | uint64_t{9} << 60);
  EXPECT_EQ(packed.extra, 0u);
  EXPECT_EQ(fxr_pack_migrate({100, 2, 5, 120}).body,
            uint64_t{100} | uint64_t{2} << 22 | uint64_t{5} << 35 | uint64_t{120} << 48);
  EXPECT_EQ(fxr_pack_loss({7, FXR_CATEGORY_SYSCALL}).body,
            uint64_t{7} | uint64_t{FXR_CATEGORY_SYSCALL} << 32);
}

TEST(SlotBodyTest, FieldsBeyondTheBodyAreExtra) {
  const fxr_payload first = fxr_pack_waking({.woken_tid = 1,
                                             .waker_tid = 2,
                                             .priority = 3,
                                             .target_cpu = 0xfff,
                                             .is_new = 1,
                                             .via_net_rx = 1});
  EXPECT_EQ(first.body,
            uint64_t{1} | uint64_t{2} << 22 | uint64_t{3} << 44 | uint64_t{0xfff} << 52);
  EXPECT_EQ(first.extra, 3u);
  const fxr_payload exit = fxr_pack_syscall_exit({.tid = 100, .result = -2});
  EXPECT_EQ(exit.body, uint64_t{100} | ~uint64_t{1} << 22);
  EXPECT_EQ(exit.extra, 0xffu);
}

TEST(SlotBodyTest, UnpackInvertsPack) {
  for (const int64_t result : {int64_t{0}, int64_t{5}, int64_t{-2}, (int64_t{1} << 49) - 1,
                               -(int64_t{1} << 49), int64_t{0x7ffff7fc1000}}) {
    const fxr_payload packed = fxr_pack_syscall_exit({.tid = FXR_TID_MASK, .result = result});
    const fxr_syscall_exit_body exit = fxr_unpack_syscall_exit(packed.body, packed.extra);
    EXPECT_EQ(exit.tid, FXR_TID_MASK);
    EXPECT_EQ(exit.result, result);
  }
  const fxr_payload packed = fxr_pack_waking({.woken_tid = FXR_TID_MASK,
                                              .waker_tid = 0,
                                              .priority = 255,
                                              .target_cpu = 9,
                                              .is_new = 1,
                                              .via_net_rx = 0});
  const fxr_waking_body waking = fxr_unpack_waking(packed.body, packed.extra);
  EXPECT_EQ(waking.woken_tid, FXR_TID_MASK);
  EXPECT_EQ(waking.waker_tid, 0u);
  EXPECT_EQ(waking.priority, 255u);
  EXPECT_EQ(waking.target_cpu, 9u);
  EXPECT_EQ(waking.is_new, 1u);
}

TEST(SlotBodyTest, TheCommitWordHasRoomForItsParts) {
  const uint64_t commit = fxr_pack_commit(FXR_TYPE_MASK, 0xff, ~uint64_t{0}, ~uint64_t{0});
  EXPECT_EQ(commit, ~uint64_t{0});
  EXPECT_EQ(fxr_pack_commit(FXR_TYPE_MASK, 0, 0, 0) + fxr_pack_commit(0, 0xff, 0, 0) +
                fxr_pack_commit(0, 0, ~uint64_t{0}, 0) + fxr_pack_commit(0, 0, 0, ~uint64_t{0}),
            commit)
      << "no part stands in another's place";
  EXPECT_EQ(fxr_type_of(commit), FXR_TYPE_MASK);
  EXPECT_EQ(fxr_extra_of(commit), 0xffu);
  EXPECT_GE(FXR_TYPE_MASK + 1, 4u * FXR_SLOT_TYPES) << "few types are left";
}

TEST(EventInfoTest, OtherIsNoCategory) {
  EXPECT_EQ(CategoryName(FXR_CATEGORY_SCHED), "sched");
  EXPECT_EQ(CategoryName(FXR_CATEGORY_LBR), "lbr");
  EXPECT_EQ(CategoryName(FXR_CATEGORY_OTHER), "other");
  EXPECT_EQ(CategoryName(UINT32_MAX), "other");
}

TEST(EventInfoTest, ASlotIsOfTheCategoryOfItsTracepoint) {
  EXPECT_EQ(SlotInfoOf(FXR_SLOT_WAKING).category, FXR_CATEGORY_SCHED);
  EXPECT_EQ(SlotInfoOf(FXR_SLOT_SOFTIRQ_EXIT).category, FXR_CATEGORY_SOFTIRQ);
  EXPECT_EQ(SlotInfoOf(FXR_SLOT_LOSS).category, FXR_CATEGORY_OTHER);
  EXPECT_EQ(SlotInfoOf(FXR_SLOT_NONE).category, FXR_CATEGORY_OTHER);
  EXPECT_EQ(SlotInfoOf(FXR_TYPE_MASK).category, FXR_CATEGORY_OTHER);
  // Readers know them by these names.
  EXPECT_EQ(SlotInfoOf(FXR_SLOT_MIGRATE).name, event::kMigrate);
  EXPECT_EQ(SlotInfoOf(FXR_SLOT_MIGRATE).fields[1].name, argument::kFrom);
  EXPECT_TRUE(SlotInfoOf(FXR_SLOT_MIGRATE).is_instant);
  EXPECT_FALSE(SlotInfoOf(FXR_SLOT_SWITCH).is_instant);
}

}  // namespace
}  // namespace schema
