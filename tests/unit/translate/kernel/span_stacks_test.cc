// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/span_stacks.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

TEST(SpanStacksTest, TimersHaveTheNamesOfTheirFunctions) {
  CaptureScript script;
  script.identities().functions[-4096] = "tick";
  script.Slot(10, 0, FXR_SLOT_TIMER_ENTRY, fxr_pack_timer_entry({1, -4096}))
      .Slot(20, 0, FXR_SLOT_TIMER_EXIT, fxr_pack_timer_exit({1}))
      .Slot(30, 0, FXR_SLOT_TIMER_ENTRY, fxr_pack_timer_entry({0, -8192}))
      .Slot(40, 0, FXR_SLOT_TIMER_EXIT, fxr_pack_timer_exit({0}));
  const Lines lines = script.Lines("timer:");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[0].find("irq/0"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("timer:tick"), std::string::npos) << lines[0];
  EXPECT_NE(lines[2].find("softirq/0"), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("timer:0xffffffffffffe000"), std::string::npos) << lines[3];
}

TEST(SpanStacksTest, WorkIsADurationOfItsWorker) {
  CaptureScript script;
  script.identities().functions[-4096] = "flush";
  script.Task(7, 7, "kworker")
      .Slot(5, 0, FXR_SLOT_WORK_END, fxr_pack_work_end({7, -4096}))
      .Slot(10, 0, FXR_SLOT_WORK_START, fxr_pack_work_start({7, -4096}))
      .Slot(20, 0, FXR_SLOT_WORK_END, fxr_pack_work_end({7, -4096}));
  EXPECT_EQ(script.Lines("workqueue:"),
            (Lines{"10 begin kworker/7 workqueue:flush", "20 end kworker/7 workqueue:flush"}));
  EXPECT_EQ(script.translator().stats().unmatched_ends, 1u);
}

// A worker executes one work item at a time, and reclaim does not nest.
TEST(SpanStacksTest, SpanWithoutAnEndEndsAtTheNextBegin) {
  CaptureScript script;
  script.identities().functions[-4096] = "flush";
  script.Task(7, 7, "kworker")
      .Slot(10, 0, FXR_SLOT_WORK_START, fxr_pack_work_start({7, -4096}))
      .Slot(20, 0, FXR_SLOT_WORK_START, fxr_pack_work_start({7, -4096}))
      .Slot(22, 0, FXR_SLOT_RECLAIM_BEGIN, fxr_pack_reclaim_begin({7, 0, 0, 0}))
      .Slot(24, 0, FXR_SLOT_RECLAIM_BEGIN, fxr_pack_reclaim_begin({7, 1, 0, 0}))
      .Slot(26, 0, FXR_SLOT_RECLAIM_END, fxr_pack_reclaim_end({7, 1, 32}))
      .Slot(30, 0, FXR_SLOT_WORK_END, fxr_pack_work_end({7, -4096}));
  const Lines begins = script.Lines("begin kworker/7"), ends = script.Lines("end kworker/7");
  EXPECT_EQ(begins.size(), 4u);
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends[0], "20 end kworker/7 workqueue:flush");
  EXPECT_EQ(ends[1], "24 end kworker/7 reclaim:direct_reclaim");
  EXPECT_EQ(script.translator().stats().unmatched_ends, 0u);
}

TEST(SpanStacksTest, LossEndsOpenSpansOfTheCpu) {
  CaptureScript script;
  script.Slot(10, 0, FXR_SLOT_TIMER_ENTRY, fxr_pack_timer_entry({1, -4096}))
      .Slot(11, 1, FXR_SLOT_TIMER_ENTRY, fxr_pack_timer_entry({0, -4096}))
      .Slot(12, 2, FXR_SLOT_IPI_ENTRY, fxr_pack_ipi_entry({FXR_IPI_RESCHEDULE}))
      .Slot(20, 0, FXR_SLOT_LOSS, fxr_pack_loss({7, FXR_CATEGORY_TIMER}))
      .Slot(21, 2, FXR_SLOT_LOSS, fxr_pack_loss({7, FXR_CATEGORY_IPI}))
      .Slot(30, 1, FXR_SLOT_TIMER_EXIT, fxr_pack_timer_exit({0}))
      .Slot(31, 0, FXR_SLOT_TIMER_EXIT, fxr_pack_timer_exit({1}));
  const Lines ends = script.Lines(" end ");
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_TRUE(ends[0].starts_with("20 end irq/0")) << ends[0];
  EXPECT_TRUE(ends[1].starts_with("21 end irq/2")) << ends[1];
  EXPECT_TRUE(ends[2].starts_with("30 end softirq/1")) << ends[2];
  EXPECT_EQ(script.translator().stats().unmatched_ends, 1u);
}

TEST(SpanStacksTest, JoinsRepeatedBeginsOfAMutexWait) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -64, FXR_LOCK_MUTEX}))
      .Slot(20, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -64, FXR_LOCK_MUTEX}))
      .Slot(25, 0, FXR_SLOT_LOCK_END, fxr_pack_lock_end({7, -32, 0}))
      .Slot(30, 0, FXR_SLOT_LOCK_END, fxr_pack_lock_end({7, -64, 1}));
  EXPECT_EQ(script.Lines("lock:"), (Lines{"10 begin app/7 lock:mutex {lock=0xffffffffffffff00}",
                                          "20 instant app/7 lock:mutex {lock=0xffffffffffffff00}",
                                          "30 end app/7 lock:mutex {failed=1}"}));
  EXPECT_EQ(script.translator().stats().unmatched_ends, 1u);
}

TEST(SpanStacksTest, ALossOfLockEventsEndsTheWaitsOfAllThreads) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Task(8, 8, "other")
      .Slot(10, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -64, FXR_LOCK_MUTEX}))
      .Slot(12, 1, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({8, -32, FXR_LOCK_RWSEM_READ}))
      .Slot(20, 1, FXR_SLOT_LOSS, fxr_pack_loss({3, FXR_CATEGORY_LOCK}))
      .Slot(30, 0, FXR_SLOT_LOCK_END, fxr_pack_lock_end({7, -64, 0}));
  EXPECT_EQ(script.Lines(" end "),
            (Lines{"20 end app/7 lock:mutex", "20 end other/8 lock:rwsem read"}));
  EXPECT_EQ(script.translator().stats().unmatched_ends, 1u);
}

TEST(SpanStacksTest, ALockWaitEndsIfTheEndOfANestedOneIsLost) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -64, FXR_LOCK_MUTEX}))
      .Slot(12, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -32, FXR_LOCK_SPINLOCK}))
      .Slot(30, 0, FXR_SLOT_LOCK_END, fxr_pack_lock_end({7, -64, 0}));
  EXPECT_EQ(script.Lines(" end "),
            (Lines{"30 end app/7 lock:spinlock", "30 end app/7 lock:mutex"}));
}

TEST(SpanStacksTest, ALockWaitWithoutAnEndEndsAtTheNextOneOfTheThread) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -64, FXR_LOCK_MUTEX}))
      .Slot(20, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -32, FXR_LOCK_RWSEM_WRITE}))
      .Slot(30, 0, FXR_SLOT_LOCK_END, fxr_pack_lock_end({7, -32, 0}));
  EXPECT_EQ(script.Lines(" end "),
            (Lines{"20 end app/7 lock:mutex", "30 end app/7 lock:rwsem write"}));
}

TEST(SpanStacksTest, WritesReclaimArguments) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_RECLAIM_BEGIN, fxr_pack_reclaim_begin({7, 0, 3, 64}))
      .Slot(20, 0, FXR_SLOT_RECLAIM_END, fxr_pack_reclaim_end({7, 0, 32}));
  EXPECT_EQ(script.Lines("reclaim:"),
            (Lines{"10 begin app/7 reclaim:direct_reclaim {order=3 flags=64}",
                   "20 end app/7 reclaim:direct_reclaim {pages=32}"}));
}

TEST(SpanStacksTest, MajorFaultBeginsWithItsWait) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_FAULT_USER, fxr_pack_fault_user({7, 0x1f010, 0, 0}))
      .Slot(12, 0, FXR_SLOT_FAULT_WAIT, fxr_pack_fault_wait({7, 0x1f010}))
      .Slot(20, 1, FXR_SLOT_FAULT_MAJOR, fxr_pack_fault_major({7, 0x1f010}))
      .Slot(30, 0, FXR_SLOT_FAULT_MAJOR, fxr_pack_fault_major({7, 0x2f000}));
  EXPECT_EQ(script.Lines("fault:major"),
            (Lines{"12 begin app/7 fault:major {address=0x1f010}", "20 end app/7 fault:major",
                   "30 begin app/7 fault:major {address=0x2f000}", "30 end app/7 fault:major"}));
  EXPECT_EQ(script.translator().stats().recorded[FXR_CATEGORY_FAULT], 4u);
}

TEST(SpanStacksTest, MarksMinorFaultsThatWaited) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Task(8, 8, "other")
      .Slot(10, 0, FXR_SLOT_FAULT_WAIT, fxr_pack_fault_wait({7, 0x1f000}))
      .Slot(20, 1, FXR_SLOT_FAULT_USER, fxr_pack_fault_user({8, 0x2000, 0, 0}))
      .Slot(30, 0, FXR_SLOT_FAULT_USER, fxr_pack_fault_user({7, 0x3000, 0, 0}))
      .Slot(40, 0, FXR_SLOT_FAULT_USER, fxr_pack_fault_user({7, 0x4000, 0, 0}));
  EXPECT_EQ(script.Lines("fault:major"), (Lines{"10 begin app/7 fault:major {address=0x1f000}",
                                                "30 end app/7 fault:major {minor=1}"}));
}

TEST(SpanStacksTest, LostEndDoesNotEndOtherSpans) {
  CaptureScript script;
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_RECLAIM_BEGIN, fxr_pack_reclaim_begin({7, 0, 3, 64}))
      .Slot(15, 0, FXR_SLOT_LOCK_BEGIN, fxr_pack_lock_begin({7, -64, FXR_LOCK_SPINLOCK}))
      .Slot(20, 0, FXR_SLOT_RECLAIM_END, fxr_pack_reclaim_end({7, 0, 32}))
      .Slot(25, 0, FXR_SLOT_LOCK_END, fxr_pack_lock_end({7, -64, 0}));
  EXPECT_EQ(script.Lines(" end ").size(), 1u);
}

}  // namespace
}  // namespace translate
