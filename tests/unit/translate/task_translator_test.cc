// SPDX-License-Identifier: BSD-2-Clause
#include "translate/task_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

TEST(TaskTranslatorTest, NamesWhatExistsAtTheStart) {
  CaptureScript script;
  script.identities().texts[100] = {"server", "server --port 80"};
  script.Task(100, 100, "server").Task(101, 100, "worker");
  EXPECT_EQ(script.Lines("object"),
            (Lines{
                "object process 100 server {cmdline=server --port 80 ppid=1 uid=0}",
                "object thread 100 server {process=koid 100}",
                "object thread 101 worker {process=koid 100}",
            }));
  EXPECT_EQ(script.identities().lookups, 0);
}

TEST(TaskTranslatorTest, LooksUpWhomNobodyToldOf) {
  CaptureScript script;
  model::TaskIdentity known;
  known.tid = 7;
  known.tgid = 7;
  known.ppid = 2;
  known.is_kernel = true;
  known.name = "kworker";
  script.identities().tasks[7] = known;
  script.Task(100, 100, "first").Switch(10, 0, 100, 7).Switch(20, 0, 7, 8).Switch(30, 0, 8, 7);
  EXPECT_EQ(script.Lines("object thread 7").size(), 1u);
  EXPECT_EQ(script.Lines("kworker/7").size(), 3u);
  // One that /proc does not know either goes by its number, and is asked for once.
  EXPECT_EQ(script.Lines("object thread 8"), Lines{"object thread 8 tid 8 {process=koid 8}"});
  EXPECT_EQ(script.identities().lookups, 2);
}

TEST(TaskTranslatorTest, FollowsForkExecRenameExit) {
  CaptureScript script;
  script.Task(100, 100, "sh")
      .Fork(10, 100, 200, 200, "sh")
      .Exec(20, 200, 200, "ls", "/bin/ls", std::string_view("ls\0-l\0", 6))
      .Rename(30, 200, 200, "ls-two")
      .Exit(40, 200, 200, 256);
  EXPECT_EQ(script.Lines(" instant "), (Lines{
                                           "10 instant sh/100 task:fork {child=koid 200}",
                                           "20 instant ls/200 task:exec {filename=/bin/ls}",
                                           "30 instant ls-two/200 task:rename {name=ls-two}",
                                           "40 instant ls-two/200 task:exit {code=256}",
                                       }));
  EXPECT_EQ(script.Lines("object process 200").size(), 3u);
  EXPECT_EQ(script.Lines("cmdline=ls -l").size(), 2u);
}

TEST(TaskTranslatorTest, AReusedTidIsSomebodyElse) {
  CaptureScript script;
  script.Task(100, 100, "sh")
      .Fork(10, 100, 200, 200, "one")
      .Exit(20, 200, 200, 0)
      .Switch(21, 0, 200, 100, FXR_STATE_DEAD)
      .Fork(30, 100, 200, 200, "two")
      .Switch(40, 0, 100, 200);
  const uint64_t second = 200 + (uint64_t{1} << 22);
  EXPECT_EQ(script.Lines("object thread 200 one").size(), 1u);
  EXPECT_EQ(script.Lines("object thread " + std::to_string(second) + " two").size(), 1u);
  EXPECT_EQ(script.Lines("40 switch"),
            Lines{"40 switch cpu0 sh/100 blocked -> two/" + std::to_string(second) + " 120 120"});
}

// The kernel gives a tid out again while the one who had it is still on its way off the CPU.
TEST(TaskTranslatorTest, TheLastSwitchOfATidThatIsInUseAgain) {
  CaptureScript script;
  script.Task(100, 100, "sh")
      .Fork(10, 100, 200, 200, "one")
      .Switch(15, 0, 100, 200)
      .Exit(20, 200, 200, 0)
      .Fork(30, 100, 200, 200, "two")
      .Switch(40, 0, 200, 100, FXR_STATE_DEAD)
      .Switch(50, 0, 100, 200);
  EXPECT_EQ(script.Lines("40 switch"), Lines{"40 switch cpu0 one/200 dead -> sh/100 120 120"});
  EXPECT_EQ(script.Lines("-> two/").size(), 1u);
  EXPECT_EQ(script.translator().task_table().thread_count(), 2u);
}

// exec of a thread that is not the leader: the leader's tid goes to it before anything is told.
TEST(TaskTranslatorTest, AThreadTakesItsLeadersPlace) {
  CaptureScript script;
  script.Task(1, 1, "init")
      .Task(100, 100, "app")
      .Task(101, 100, "worker")
      .Switch(10, 0, 1, 100)
      .Exit(20, 100, 100, 0)
      .Switch(21, 0, 100, 101, FXR_STATE_DEAD)
      .Switch(30, 0, 100, 1)
      .Exec(40, 101, 100, "new", "/bin/new", "new")
      .Switch(50, 0, 1, 100);
  EXPECT_EQ(script.Lines("30 switch"),
            Lines{"30 switch cpu0 worker/100 blocked -> init/1 120 120"});
  EXPECT_EQ(script.Lines("50 switch"), Lines{"50 switch cpu0 init/1 blocked -> new/100 120 120"});
  EXPECT_TRUE(script.Lines("unseen_switch").empty());
}

// The leader was still on its CPU when the tids were exchanged: it leaves by the other's.
TEST(TaskTranslatorTest, TheLeaderLeavesByTheTidOfWhoTookItsPlace) {
  CaptureScript script;
  script.Task(1, 1, "init")
      .Task(100, 100, "app")
      .Task(101, 100, "worker")
      .Switch(10, 0, 1, 100)
      .Switch(11, 1, 1, 101)
      .Exit(20, 100, 100, 0)
      .Switch(30, 0, 101, 1, FXR_STATE_DEAD)
      .Switch(40, 1, 100, 1);
  EXPECT_EQ(script.Lines("30 switch"), Lines{"30 switch cpu0 app/101 dead -> init/1 120 120"});
  EXPECT_EQ(script.Lines("40 switch"),
            Lines{"40 switch cpu1 worker/100 blocked -> init/1 120 120"});
  EXPECT_TRUE(script.Lines("unseen_switch").empty());
}

// The leader was off its CPU then, and comes back by the other's tid, which is on another CPU.
TEST(TaskTranslatorTest, TheLeaderComesBackByTheTidOfWhoTookItsPlace) {
  CaptureScript script;
  script.Task(1, 1, "init")
      .Task(100, 100, "app")
      .Task(101, 100, "worker")
      .Switch(11, 1, 1, 101)
      .Switch(12, 0, 1, 100)
      .Exit(20, 100, 100, 0)
      .Switch(25, 0, 100, 1, FXR_STATE_PREEMPTED)
      .Switch(30, 0, 1, 101)
      .Switch(31, 0, 101, 1, FXR_STATE_DEAD)
      .Switch(40, 1, 100, 1);
  EXPECT_EQ(script.Lines("30 switch"), Lines{"30 switch cpu0 init/1 blocked -> app/101 120 120"});
  EXPECT_EQ(script.Lines("31 switch"), Lines{"31 switch cpu0 app/101 dead -> init/1 120 120"});
  EXPECT_EQ(script.Lines("40 switch"),
            Lines{"40 switch cpu1 worker/100 blocked -> init/1 120 120"});
  EXPECT_TRUE(script.Lines("unseen_switch").empty());
}

// A reader keeps the states it was told by koid, and the koid goes over to another thread.
TEST(TaskTranslatorTest, StatesToldOfALeaderAreNotThoseOfWhoTakesItsPlace) {
  CaptureScript script;
  script.Task(1, 1, "init")
      .Task(100, 100, "app")
      .Task(101, 100, "worker")
      .Switch(10, 0, 100, 1, FXR_STATE_UNINTERRUPTIBLE)
      .Switch(12, 0, 1, 100)
      .Exit(20, 100, 100, 0)
      .Switch(21, 0, 100, 101, FXR_STATE_DEAD)
      .Switch(30, 0, 100, 1, FXR_STATE_INTERRUPTIBLE);
  EXPECT_EQ(script.Lines("linux_state"), (Lines{
                                             "10 instant app/100 sched:linux_state {state=D}",
                                             "30 instant worker/100 sched:linux_state {state=S}",
                                         }));
}

TEST(TaskTranslatorTest, TheDeadLeave) {
  CaptureScript script;
  script.Task(100, 100, "sh");
  for (uint32_t i = 0; i < 10'000; ++i) {
    const uint64_t time = 1'000'000ull * (i + 1);
    script.Fork(time, 100, 200 + i, 200 + i, "short").Exit(time + 10, 200 + i, 200 + i, 0);
    // Half of them are never seen to switch out.
    if (i % 2 == 0) script.Switch(time + 20, 0, 200 + i, 100, FXR_STATE_DEAD);
    script.translator().Tick(time);
  }
  EXPECT_LT(script.translator().task_table().thread_count(), 10'050u / 2 + 100);
  script.translator().Tick(60'000'000'000);
  EXPECT_LT(script.translator().task_table().thread_count(), 5u);
}

TEST(TaskTranslatorTest, WithoutItsCategoryTasksAreNamedAllTheSame) {
  CaptureScript script({.record_task_events = false});
  script.Task(100, 100, "sh").Fork(10, 100, 200, 200, "child").Switch(20, 0, 100, 200);
  EXPECT_TRUE(script.Lines(" instant ").empty());
  EXPECT_EQ(script.Lines("-> child/200").size(), 1u);
  EXPECT_EQ(script.translator().stats().identity_only, 1u);
}

}  // namespace
}  // namespace translate
