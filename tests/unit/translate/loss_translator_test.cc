// SPDX-License-Identifier: BSD-2-Clause
#include "translate/loss_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

// The line without the name and number of the recorder's track.
Lines Written(CaptureScript& script) {
  Lines lines;
  for (const std::string& line : script.Lines("lost_events")) {
    const size_t name = line.find(" recording/");
    const size_t rest = name == std::string::npos ? name : line.find(' ', name + 1);
    lines.push_back(rest == std::string::npos ? line : line.substr(0, name) + line.substr(rest));
  }
  return lines;
}

TEST(LossTranslatorTest, WritesALossAtItsTimeAndCountsItByCpu) {
  CaptureScript script;
  Translator& translator = script.translator();
  script.Slot(10, 3, FXR_SLOT_LOSS, fxr_pack_loss({7, FXR_CATEGORY_SYSCALL}));
  script.Slot(20, 3, FXR_SLOT_LOSS, fxr_pack_loss({5, FXR_CATEGORY_SYSCALL}));
  script.Slot(30, 4, FXR_SLOT_LOSS, fxr_pack_loss({1, FXR_CATEGORY_SYSCALL}));
  EXPECT_EQ(Written(script),
            (Lines{
                "10 instant fxt-record:lost_events {cpu=3 count=7 category=syscall}",
                "10 counter fxt-record:lost_events {syscall=7}",
                "20 instant fxt-record:lost_events {cpu=3 count=5 category=syscall}",
                "20 counter fxt-record:lost_events {syscall=12}",
                "30 instant fxt-record:lost_events {cpu=4 count=1 category=syscall}",
                "30 counter fxt-record:lost_events {syscall=1}",
            }));
  EXPECT_EQ(script.Lines("provider event").size(), 3u);
  EXPECT_EQ(translator.stats().lost[FXR_CATEGORY_SYSCALL], 13u);
  EXPECT_EQ((translator.losses().totals().at({3, FXR_CATEGORY_SYSCALL})), 12u);
  EXPECT_EQ((translator.losses().totals().at({4, FXR_CATEGORY_SYSCALL})), 1u);
}

// The side ring belongs to no CPU.
TEST(LossTranslatorTest, AcceptsALossWithoutACpu) {
  CaptureScript script;
  script.Task(100, 100, "app").Switch(5, 0, 0, 100);
  script.translator().OnLoss(-1, 10, FXR_CATEGORY_TASK, uint64_t{1} << 40);
  EXPECT_EQ(Written(script),
            (Lines{"10 instant fxt-record:lost_events {cpu=-1 count=1099511627776 category=task}",
                   "10 counter fxt-record:lost_events {task=1099511627776}"}));
  EXPECT_TRUE(script.Lines("(lost events)").empty()) << "no CPU's switches were lost";
}

// A later version of the BPF programs may send it.
TEST(LossTranslatorTest, CountsUnknownCategoriesAsOther) {
  CaptureScript script;
  script.translator().OnLoss(0, 10, 250, 2);
  script.translator().OnLoss(0, 20, UINT32_MAX, 2);
  const Lines written = Written(script);
  ASSERT_EQ(written.size(), 4u);
  EXPECT_EQ(written[0].substr(written[0].find("category=")),
            written[2].substr(written[2].find("category=")));
  EXPECT_EQ(script.translator().stats().lost[FXR_CATEGORY_OTHER], 4u);
}

TEST(LossTranslatorTest, OnlyLostSwitchesBeginAGap) {
  CaptureScript script;
  script.Task(100, 100, "app").Task(200, 200, "other").Switch(5, 0, 0, 100).Switch(6, 1, 0, 200);
  script.translator().OnLoss(0, 10, FXR_CATEGORY_SYSCALL, 3);
  EXPECT_TRUE(script.Lines("(lost events)").empty());
  script.translator().OnLoss(0, 20, FXR_CATEGORY_SCHED, 3);
  const Lines lost = script.Lines("20 switch");
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_TRUE(lost[0].starts_with("20 switch cpu0 app/100 blocked -> (lost events)/0")) << lost[0];
  EXPECT_EQ(script.translator().RunningOn(0), std::nullopt);
  EXPECT_EQ(script.translator().RunningOn(1), 200u);
}

}  // namespace
}  // namespace translate
