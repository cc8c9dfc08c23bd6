// SPDX-License-Identifier: BSD-2-Clause
#include "translate/sched_translator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

CaptureScript& TwoTasks(CaptureScript& script) {
  return script.Task(100, 100, "first").Task(101, 101, "second");
}

TEST(SchedTranslatorTest, WritesSwitchesWithIdleAtPriorityZero) {
  CaptureScript script;
  TwoTasks(script).Switch(10, 0, 100, 101).Switch(20, 0, 101, 0).Switch(30, 0, 0, 100);
  const Lines switches = script.Lines(" switch ");
  ASSERT_EQ(switches.size(), 3u);
  EXPECT_EQ(switches[0], "10 switch cpu0 first/100 blocked -> second/101 120 120");
  EXPECT_TRUE(switches[1].starts_with("20 switch cpu0 second/101 blocked -> swapper/0/"));
  EXPECT_TRUE(switches[1].ends_with(" 120 0"));
  EXPECT_TRUE(switches[2].ends_with(" -> first/100 0 120"));
  EXPECT_EQ(script.translator().stats().switches, 3u);
  EXPECT_EQ(script.translator().stats().unseen_switches, 0u);
}

TEST(SchedTranslatorTest, MapsEveryState) {
  const struct {
    fxr_task_state state;
    const char* text;
  } kStates[] = {{FXR_STATE_RUNNABLE, " new "},
                 {FXR_STATE_PREEMPTED, " new "},
                 {FXR_STATE_THROTTLED, " new "},
                 {FXR_STATE_INTERRUPTIBLE, " blocked "},
                 {FXR_STATE_UNINTERRUPTIBLE, " blocked "},
                 {FXR_STATE_STOPPED, " suspended "},
                 {FXR_STATE_TRACED, " suspended "},
                 {FXR_STATE_PARKED, " blocked "},
                 {FXR_STATE_IDLE, " blocked "},
                 {FXR_STATE_ZOMBIE, " dying "},
                 {FXR_STATE_DEAD, " dead "}};
  for (const auto& [state, text] : kStates) {
    CaptureScript script;
    TwoTasks(script).Switch(10, 0, 100, 101, state);
    EXPECT_EQ(script.Lines(text).size(), 1u) << state;
  }
}

// Readers assume the last emitted state, so a changed state is emitted.
TEST(SchedTranslatorTest, WritesTheKernelStateOnlyIfItChanged) {
  CaptureScript script;
  TwoTasks(script);
  const fxr_task_state kStates[] = {FXR_STATE_INTERRUPTIBLE,   FXR_STATE_UNINTERRUPTIBLE,
                                    FXR_STATE_UNINTERRUPTIBLE, FXR_STATE_INTERRUPTIBLE,
                                    FXR_STATE_PREEMPTED,       FXR_STATE_RUNNABLE,
                                    FXR_STATE_INTERRUPTIBLE};
  uint64_t time = 10;
  for (const fxr_task_state state : kStates) {
    script.Switch(time, 0, 100, 101, state).Switch(time + 5, 0, 101, 100);
    time += 10;
  }
  EXPECT_EQ(script.Lines("linux_state"), (Lines{
                                             "20 instant first/100 sched:linux_state {state=D}",
                                             "40 instant first/100 sched:linux_state {state=S}",
                                             "60 instant first/100 sched:linux_state {state=R}",
                                         }));
}

TEST(SchedTranslatorTest, UsesTheOlderLayoutForLargeCpuNumbers) {
  CaptureScript script;
  TwoTasks(script).Switch(10, 255, 100, 101).Switch(20, 256, 101, 100);
  EXPECT_EQ(script.Lines(" switch "),
            (Lines{
                "10 switch cpu255 first/100 blocked -> second/101 120 120",
                "20 switch cpu256 second/101 blocked -> first/100",
            }));
}

TEST(SchedTranslatorTest, MarksUnseenSwitches) {
  CaptureScript script;
  TwoTasks(script).Task(102, 102, "third").Switch(10, 0, 100, 101).Switch(20, 0, 102, 100);
  EXPECT_EQ(script.Lines("unseen_switch"),
            Lines{"20 instant third/102 fxt-record:unseen_switch {cpu=0}"});
  EXPECT_EQ(script.Lines(" switch "), (Lines{
                                          "10 switch cpu0 first/100 blocked -> second/101 120 120",
                                          "20 switch cpu0 second/101 blocked -> third/102 0 0",
                                          "20 switch cpu0 third/102 blocked -> first/100 120 120",
                                      }));
}

TEST(SchedTranslatorTest, ExpectsNoContinuityUnderAFilter) {
  CaptureScript script({.filtered = true});
  TwoTasks(script).Task(102, 102, "third").Switch(10, 0, 100, 101).Switch(20, 0, 102, 100);
  EXPECT_TRUE(script.Lines("unseen_switch").empty());
  EXPECT_EQ(script.Lines(" switch ").size(), 2u);
}

TEST(SchedTranslatorTest, LossBeginsAGapOnTheCpu) {
  CaptureScript script;
  TwoTasks(script).Switch(10, 0, 100, 101);
  script.translator().OnLoss(0, 15, FXR_CATEGORY_SCHED, 7);
  script.Switch(20, 0, 100, 101);
  const Lines switches = script.Lines(" switch ");
  ASSERT_EQ(switches.size(), 4u);
  EXPECT_TRUE(switches[1].starts_with("15 switch cpu0 second/101 blocked -> (lost events)/0/"));
  EXPECT_TRUE(switches[2].starts_with("20 switch cpu0 (lost events)/0/"));
  EXPECT_EQ(switches[3], "20 switch cpu0 first/100 blocked -> second/101 120 120");
  EXPECT_TRUE(script.Lines("unseen_switch").empty());
  EXPECT_EQ(script.Lines("instant").size(), 1u);
  EXPECT_EQ(script.Lines("provider event").size(), 1u);
}

TEST(SchedTranslatorTest, AGapBeginsAtItsFirstLostEvent) {
  CaptureScript script;
  TwoTasks(script).Switch(10, 0, 100, 101);
  script.translator().OnGap(0, 12);
  // The thread comes to another CPU before the ring of the first one has room for the loss.
  script.Switch(15, 1, 0, 101);
  script.Slot(18, 0, FXR_SLOT_LOSS, fxr_pack_loss({7, FXR_CATEGORY_SCHED})).Switch(20, 0, 100, 0);
  const Lines switches = script.Lines(" switch ");
  ASSERT_EQ(switches.size(), 5u);
  EXPECT_TRUE(switches[1].starts_with("12 switch cpu0 second/101 blocked -> (lost events)/0/"));
  EXPECT_TRUE(switches[2].starts_with("15 switch cpu1 swapper/1/"));
  EXPECT_TRUE(switches[3].starts_with("20 switch cpu0 (lost events)/0/")) << switches[3];
  EXPECT_EQ(script.translator().stats().gap_switches, 2u);
}

TEST(SchedTranslatorTest, WakeupsNameTheWakerAndSkipRunningThreads) {
  CaptureScript script;
  TwoTasks(script)
      .Switch(10, 0, 101, 100)
      .Waking(20, 101, 100, 1)
      .Waking(30, 101, 0, 3)
      .Waking(40, 100, 101, 0);
  EXPECT_EQ(script.Lines("wakeup"), (Lines{
                                        "20 wakeup cpu1 second/101 {waker=koid 100}",
                                        "30 wakeup cpu3 second/101",
                                    }));
  EXPECT_EQ(script.translator().stats().wakeups, 2u);
  EXPECT_GE(script.translator().stats().wakeup_bytes, 40u + 24u);
  EXPECT_EQ(script.translator().stats().wakeups_of_running, 1u);
}

TEST(SchedTranslatorTest, AWakerThatSentPacketsIsMarked) {
  CaptureScript script;
  TwoTasks(script).Switch(10, 0, 101, 100).Waking(20, 101, 100, 1, true).Waking(30, 101, 100, 1);
  // The fast path, and the general path for a waker that no record has mentioned.
  script.Task(102, 100, "third").Waking(40, 101, 102, 1, true).Waking(50, 101, 102, 1, true);
  EXPECT_EQ(script.Lines("wakeup"), (Lines{
                                        "20 wakeup cpu1 second/101 {waker=koid 100 via=net_rx}",
                                        "30 wakeup cpu1 second/101 {waker=koid 100}",
                                        "40 wakeup cpu1 second/101 {waker=koid 102 via=net_rx}",
                                        "50 wakeup cpu1 second/101 {waker=koid 102 via=net_rx}",
                                    }));
  EXPECT_EQ(script.translator().stats().wakeups, 4u);
  EXPECT_GE(script.translator().stats().wakeup_bytes, 3 * 48u + 40u);
}

TEST(SchedTranslatorTest, AThrottledThreadHasItsLimit) {
  CaptureScript script;
  TwoTasks(script)
      .Switch(10, 0, 0, 100)
      .Switch(1'000, 0, 100, 0, FXR_STATE_THROTTLED)
      .Throttled(9'000, {.tid = 100,
                         .begin = 1'000,
                         .end = 8'500,
                         .cgroup = 77,
                         .hierarchy = 0,
                         .quota = 30'000'000,
                         .period = 100'000'000})
      .Switch(9'001, 0, 0, 100);
  EXPECT_EQ(script.Lines("linux_state"),
            Lines{"1000 instant first/100 sched:linux_state {state=Rq}"});
  EXPECT_EQ(script.Lines("throttled"),
            Lines{"9000 instant first/100 sched:throttled {since=8000 until=500 cgroup=/77 "
                  "quota=30000000 period=100000000}"});
  // A group of an unmounted hierarchy, whose limit was removed.
  CaptureScript unknown;
  TwoTasks(unknown).Throttled(9'000, {.tid = 100,
                                      .begin = 9'500,
                                      .end = 9'500,
                                      .cgroup = 77,
                                      .hierarchy = 4,
                                      .quota = UINT64_MAX,
                                      .period = 100'000'000});
  EXPECT_EQ(unknown.Lines("throttled"),
            Lines{"9000 instant first/100 sched:throttled {since=0 until=0}"});
}

TEST(SchedTranslatorTest, WritesMigrationArguments) {
  CaptureScript script;
  TwoTasks(script).Slot(10, 0, FXR_SLOT_MIGRATE, fxr_pack_migrate({100, 2, 5, 120}));
  EXPECT_EQ(script.Lines("migrate"), Lines{"10 instant first/100 sched:migrate {from=2 to=5}"});
}

// The fast path and the general path must write the same.
TEST(SchedTranslatorTest, MoreThreadsThanATableHolds) {
  CaptureScript script;
  constexpr uint32_t kThreads = 700, kFirst = 1000;
  for (uint32_t i = 0; i < kThreads; ++i) script.Task(kFirst + i, kFirst, fmt::format("t{}", i));
  Lines expected;
  uint32_t running = 0;
  for (uint32_t i = 1; i < 20'000; ++i) {
    const uint32_t next = (running + 1 + i * i % 311) % kThreads;
    script.Switch(10 * i, 0, kFirst + running, kFirst + next);
    expected.push_back(fmt::format("{} switch cpu0 t{}/{} blocked -> t{}/{} 120 120", 10 * i,
                                   running, kFirst + running, next, kFirst + next));
    running = next;
  }
  EXPECT_EQ(script.Lines(" switch "), expected);
  const TranslationStats& stats = script.translator().stats();
  EXPECT_EQ(stats.switches, expected.size());
  EXPECT_EQ(stats.recorded[FXR_CATEGORY_SCHED], expected.size());
  EXPECT_GE(stats.switch_bytes, 16 * expected.size());
}

TEST(SchedTranslatorTest, TimeDoesNotRunBackwards) {
  CaptureScript script;
  TwoTasks(script).Switch(20, 0, 100, 101).Switch(15, 1, 0, 100);
  EXPECT_EQ(script.Lines("20 switch").size(), 2u);
  EXPECT_EQ(script.translator().stats().late, 1u);
}

}  // namespace
}  // namespace translate
