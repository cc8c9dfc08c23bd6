// SPDX-License-Identifier: BSD-2-Clause
#include "translate/translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

TEST(TranslatorTest, SystemCallsAreDurationsOnTheirThread) {
  CaptureScript script;
  // read (0), which returns 5, and openat (257), which fails with ENOENT.
  script.Task(100, 100, "app")
      .Slot(10, 0, FXR_SLOT_SYSCALL_ENTRY, fxr_pack_syscall_entry({100, 0, 0}))
      .Slot(20, 0, FXR_SLOT_SYSCALL_EXIT, fxr_pack_syscall_exit({100, 5}))
      .Slot(30, 0, FXR_SLOT_SYSCALL_ENTRY, fxr_pack_syscall_entry({100, 257, 0}))
      .Slot(40, 0, FXR_SLOT_SYSCALL_EXIT, fxr_pack_syscall_exit({100, -2}));
  EXPECT_EQ(script.Lines("syscall"), (Lines{
                                         "10 begin app/100 syscall:read",
                                         "20 end app/100 syscall:read {ret=5}",
                                         "30 begin app/100 syscall:openat",
                                         "40 end app/100 syscall:openat {ret=-2}",
                                     }));
}

TEST(TranslatorTest, CountsEndsWithoutBegins) {
  CaptureScript script;
  script.Task(100, 100, "app").Slot(20, 0, FXR_SLOT_SYSCALL_EXIT, fxr_pack_syscall_exit({100, 0}));
  EXPECT_TRUE(script.Lines("syscall").empty());
  EXPECT_EQ(script.translator().stats().unmatched_ends, 1u);
}

TEST(TranslatorTest, ACallThatNeverReturnsEndsWithItsThread) {
  CaptureScript script;
  script.Task(100, 100, "app")
      .Slot(10, 0, FXR_SLOT_SYSCALL_ENTRY, fxr_pack_syscall_entry({100, 231, 0}))
      .Exit(20, 100, 100, 0);
  EXPECT_EQ(script.Lines("syscall"), (Lines{
                                         "10 begin app/100 syscall:exit_group",
                                         "20 end app/100 syscall:exit_group",
                                     }));
}

TEST(TranslatorTest, InterruptsHaveATrackPerCpu) {
  CaptureScript script;
  script.Slot(10, 1, FXR_SLOT_IRQ_ENTRY, fxr_pack_irq_entry({9}))
      .Slot(20, 1, FXR_SLOT_IRQ_EXIT, fxr_pack_irq_exit({9, 1}))
      .Slot(30, 1, FXR_SLOT_SOFTIRQ_ENTRY, fxr_pack_softirq_entry({1}))
      .Slot(40, 1, FXR_SLOT_SOFTIRQ_EXIT, fxr_pack_softirq_exit({1}));
  const Lines begins = script.Lines(" begin "), ends = script.Lines(" end ");
  ASSERT_EQ(begins.size(), 2u);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_NE(begins[0].find("irq:irq 9 acpi"), std::string::npos) << begins[0];
  EXPECT_NE(begins[1].find("softirq:TIMER"), std::string::npos) << begins[1];
  // Hardirqs and softirqs have separate tracks.
  EXPECT_NE(begins[0].substr(9, 20), begins[1].substr(9, 20));
}

TEST(TranslatorTest, MessagesAreLogRecordsAndInstants) {
  CaptureScript script;
  script.Task(100, 100, "app").Log(10, 100, "out of paper");
  EXPECT_EQ(script.Lines("out of paper"), (Lines{
                                              "10 log app/100 out of paper",
                                              "10 instant app/100 log:out of paper",
                                          }));
}

TEST(TranslatorTest, WritesLossesAtTheirTime) {
  CaptureScript script;
  script.Task(100, 100, "app").Slot(10, 3, FXR_SLOT_LOSS, fxr_pack_loss({7, FXR_CATEGORY_SYSCALL}));
  EXPECT_EQ(script.Lines("provider event").size(), 1u);
  const Lines written = script.Lines("lost_events");
  ASSERT_EQ(written.size(), 2u);
  EXPECT_NE((written[0] + written[1]).find("cpu=3"), std::string::npos) << written[0];
  EXPECT_NE((written[0] + written[1]).find("category=syscall"), std::string::npos) << written[0];
  EXPECT_EQ((script.translator().losses().totals().at({3, FXR_CATEGORY_SYSCALL})), 7u);
}

TEST(TranslatorTest, CountsUnreadableEvents) {
  CaptureScript script;
  script.Slot(10, 0, FXR_SLOT_NONE, {}).Slot(20, 0, FXR_TYPE_MASK, {});
  fxr_side_header header{30, FXR_SIDE_FORK, 0, 0, sizeof(fxr_side_header)};  // too short for a fork
  script.translator().OnSideEvent(header);
  header.type = 199;
  script.translator().OnSideEvent(header);
  EXPECT_EQ(script.translator().stats().unreadable, 4u);
}

}  // namespace
}  // namespace translate
