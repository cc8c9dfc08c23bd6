// SPDX-License-Identifier: BSD-2-Clause
#include "translate/instant_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

fxr_payload Signal(uint32_t from, uint32_t target, uint8_t in_interrupt = 0, int32_t code = 0) {
  return fxr_pack_signal_generate({.tid = from,
                                   .in_interrupt = in_interrupt,
                                   .signal = 15,
                                   .target = target,
                                   .group = 1,
                                   .code = code,
                                   .result = 0});
}

TEST(InstantTranslatorTest, ThreadsAreNamedByTheirKoids) {
  CaptureScript script;
  script.Task(100, 100, "app").Task(200, 200, "other");
  script.Slot(10, 0, FXR_SLOT_SIGNAL_GENERATE, Signal(100, 200));
  const Lines written = script.Lines("10 instant");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_TRUE(written[0].starts_with("10 instant app/100 signal:")) << written[0];
  EXPECT_NE(written[0].find("signal=15 target=koid 200 group=1"), std::string::npos) << written[0];
}

TEST(InstantTranslatorTest, NumbersKeepTheirSigns) {
  CaptureScript script;
  script.Task(100, 100, "app");
  script.Slot(10, 0, FXR_SLOT_SIGNAL_GENERATE, Signal(100, 100, 0, -32'768));
  script.Slot(20, 0, FXR_SLOT_SIGNAL_GENERATE, Signal(100, 100, 0, 32'767));
  EXPECT_NE(script.Lines("10 instant").at(0).find("code=-32768"), std::string::npos);
  EXPECT_NE(script.Lines("20 instant").at(0).find("code=32767"), std::string::npos);
}

TEST(InstantTranslatorTest, InterruptsAreOnTheCpuTrack) {
  CaptureScript script;
  script.Task(100, 100, "app").Switch(5, 2, 0, 100);
  script.Slot(10, 2, FXR_SLOT_SIGNAL_GENERATE, Signal(100, 100, 1));
  const Lines written = script.Lines("10 instant");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_TRUE(written[0].starts_with("10 instant irq/2/")) << written[0];
}

TEST(InstantTranslatorTest, IdleTaskIsTheIdleThreadOfTheCpu) {
  CaptureScript script;
  script.Task(100, 100, "app");
  script.Slot(10, 5, FXR_SLOT_SIGNAL_GENERATE, Signal(0, 100));
  const Lines written = script.Lines("10 instant");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_TRUE(written[0].starts_with("10 instant swapper/5/")) << written[0];
  EXPECT_TRUE(script.Lines("tid 0").empty());
}

// A process may outlive its leader, and signals to the process still name the leader's tid.
TEST(InstantTranslatorTest, TidOfAnEndedLeaderIsNotARemainingThread) {
  CaptureScript script;
  script.identities().tasks[100].tid = script.identities().tasks[100].tgid = 100;
  script.identities().tasks[100].start_time = 1;
  script.Task(100, 100, "server").Task(101, 100, "worker").Task(200, 200, "other");
  script.Switch(5, 0, 0, 100).Exit(6, 100, 100, 0).Switch(7, 0, 100, 101, FXR_STATE_ZOMBIE);
  script.Slot(10, 1, FXR_SLOT_SIGNAL_GENERATE, Signal(200, 100));
  script.Switch(20, 0, 101, 0);
  const Lines written = script.Lines("20 switch");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_TRUE(written[0].starts_with("20 switch cpu0 worker/101 blocked")) << written[0];
  EXPECT_TRUE(script.Lines("unseen_switch").empty());
}

}  // namespace
}  // namespace translate
