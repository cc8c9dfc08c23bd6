// SPDX-License-Identifier: BSD-2-Clause
#include "translate/task_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

TEST(TaskTranslatorTest, NamesTasksThatExistAtTheStart) {
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

TEST(TaskTranslatorTest, OnlyNamesUnselectedTasks) {
  CaptureScript script;
  script.Task(100, 100, "sh").NamesOnly().Fork(10, 100, 200, 200, "sh");
  script.NamesOnly().Rename(20, 200, 200, "other").Fork(30, 200, 201, 200, "thread");
  EXPECT_EQ(script.Lines(" instant "), Lines{"30 instant other/200 task:fork {child=koid 201}"});
  EXPECT_EQ(script.translator().stats().identity_only, 2u);
  EXPECT_EQ(script.translator().stats().recorded[FXR_CATEGORY_TASK], 1u);
}

TEST(TaskTranslatorTest, EventsBeforeTheStartOnlyNameTasks) {
  CaptureScript script;
  script.Task(100, 100, "sh");
  script.translator().OnStart(20);
  script.Rename(19, 100, 100, "early").Rename(20, 100, 100, "late");
  EXPECT_EQ(script.Lines("task:"), Lines{"20 instant late/100 task:rename {name=late}"});
  EXPECT_EQ(script.translator().stats().identity_only, 1u);
}

TEST(TaskTranslatorTest, LooksUpUnknownTasks) {
  CaptureScript script;
  fxr_task known{};
  known.tid = 7;
  known.tgid = 7;
  known.ppid = 2;
  known.flags = FXR_TASK_KTHREAD;
  std::string_view("kworker").copy(known.comm, sizeof(known.comm));
  script.identities().tasks[7] = known;
  script.Task(100, 100, "first").Switch(10, 0, 100, 7).Switch(20, 0, 7, 8).Switch(30, 0, 8, 7);
  EXPECT_EQ(script.Lines("object thread 7").size(), 1u);
  EXPECT_EQ(script.Lines("kworker/7").size(), 3u);
  // An unknown task is named by its tid, has no other properties, and is looked up once.
  EXPECT_EQ(script.Lines("object process 8"), Lines{"object process 8 tid 8"});
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

TEST(TaskTranslatorTest, ReusedTidGetsANewKoid) {
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

// The kernel reuses a tid while its previous thread has not left its CPU yet.
TEST(TaskTranslatorTest, HandlesTheLastSwitchOfAReusedTid) {
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

// On exec, a non-leader thread gets the leader's tid before any event.
TEST(TaskTranslatorTest, AThreadReplacesItsLeaderOnExec) {
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

// The leader was still on its CPU when the tids were exchanged. It is switched out with the other
// tid.
TEST(TaskTranslatorTest, LeaderLeavesUnderTheTidOfItsSuccessor) {
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

// The leader was off its CPU at the exchange. It is switched in with the other tid, which runs
// elsewhere.
TEST(TaskTranslatorTest, LeaderReturnsUnderTheTidOfItsSuccessor) {
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

// The two cases above under a filter, which hides the switches of other tasks.
TEST(TaskTranslatorTest, LeaderLeavesUnderTheTidOfItsSuccessorUnderAFilter) {
  CaptureScript script({.filtered = true}, false);
  script.Task(1, 1, "init")
      .Task(100, 100, "app")
      .Task(101, 100, "worker")
      .Switch(10, 0, 1, 100)
      .Switch(11, 1, 1, 101)
      .Exit(20, 100, 100, 0)
      .Switch(30, 0, 101, 1, FXR_STATE_DEAD)
      .Switch(40, 1, 100, 1)
      .Exec(50, 101, 100, "new", "/bin/new", "new")
      .Switch(60, 1, 1, 100);
  EXPECT_EQ(script.Lines("30 switch"), Lines{"30 switch cpu0 app/101 dead -> init/1 120 120"});
  EXPECT_EQ(script.Lines("40 switch"),
            Lines{"40 switch cpu1 worker/100 blocked -> init/1 120 120"});
  EXPECT_EQ(script.Lines("60 switch"), Lines{"60 switch cpu1 init/1 blocked -> new/100 120 120"});
  EXPECT_EQ(script.translator().task_table().thread_count(), 2u);
}

TEST(TaskTranslatorTest, LeaderReturnsUnderTheTidOfItsSuccessorUnderAFilter) {
  CaptureScript script({.filtered = true}, false);
  script.Task(1, 1, "init")
      .Task(100, 100, "app")
      .Task(101, 100, "worker")
      .Switch(11, 1, 1, 101)
      .Switch(12, 0, 1, 100)
      .Exit(20, 100, 100, 0)
      .Switch(25, 0, 100, 1, FXR_STATE_PREEMPTED)
      .Switch(30, 0, 1, 101)
      .Exec(35, 101, 100, "new", "/bin/new", "new")
      .Switch(36, 0, 101, 1, FXR_STATE_DEAD)
      .Switch(40, 1, 100, 1);
  EXPECT_EQ(script.Lines("30 switch"), Lines{"30 switch cpu0 init/1 blocked -> app/101 120 120"});
  EXPECT_EQ(script.Lines("36 switch"), Lines{"36 switch cpu0 app/101 dead -> init/1 120 120"});
  EXPECT_EQ(script.Lines("40 switch"), Lines{"40 switch cpu1 new/100 blocked -> init/1 120 120"});
}

// A thread was switched in next to a filtered task, left the CPU unseen, and ended. Its tid is
// reused, and the new thread leaves that CPU.
TEST(TaskTranslatorTest, ReusedTidGetsANewKoidUnderAFilter) {
  CaptureScript script({.filtered = true}, false);
  script.Task(1, 1, "init")
      .Task(100, 100, "asked")
      .Task(200, 200, "other")
      .Switch(10, 0, 100, 200)
      .Switch(20, 1, 100, 200)
      .Exit(30, 200, 200, 0)
      .Switch(31, 1, 200, 100, FXR_STATE_DEAD)
      .Fork(40, 1, 300, 300, "between")
      .Fork(41, 1, 200, 200, "again")
      .Switch(50, 0, 200, 100);
  EXPECT_EQ(script.Lines("50 switch"),
            Lines{"50 switch cpu0 again/4194504 blocked -> asked/100 120 120"});
}

// Readers keep the states by koid, and the koid moves to another thread.
TEST(TaskTranslatorTest, EmittedStatesStayWithTheLeader) {
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

// Tasks are listed by tid. After a wraparound, a thread's tid may be lower than its leader's.
TEST(TaskTranslatorTest, ListsAProcessOnceInAnyOrder) {
  CaptureScript script;
  script.identities().texts[1927] = {"server", "server --port 80"};
  script.Task(400, 1927, "worker", 20).Task(1927, 1927, "server", 10).Task(1930, 1927, "other", 30);
  EXPECT_EQ(script.Lines("object"),
            (Lines{
                "object process 1927 server {cmdline=server --port 80 ppid=1 uid=0}",
                "object thread 400 worker {process=koid 1927}",
                "object thread 1927 server {process=koid 1927}",
                "object thread 1930 other {process=koid 1927}",
            }));
  EXPECT_EQ(script.translator().task_table().process_count(), 1u);
}

// The leader was created after the listing had passed its tid.
TEST(TaskTranslatorTest, ListsAProcessOnceWithoutItsLeader) {
  CaptureScript script;
  script.Task(1, 1, "init")
      .Task(2500, 1927, "server", 12)
      .Fork(10, 1, 1927, 1927, "server")
      .Fork(12, 1927, 2500, 1927, "server")
      .Switch(20, 0, 2500, 1927);
  EXPECT_EQ(script.translator().task_table().process_count(), 2u);
  EXPECT_EQ(script.Lines("process=koid 1927").size(), 2u);
}

// The thread with the leader's tid is not the only known thread of the process.
TEST(TaskTranslatorTest, DoesNotTakeAThreadForAnUnknownLeader) {
  CaptureScript script;
  fxr_task leader{};
  leader.tid = leader.tgid = 1927;
  leader.start_time = 5;
  std::string_view("leader").copy(leader.comm, sizeof(leader.comm));
  script.identities().tasks[1927] = leader;
  script.Task(1, 1, "init").Fork(10, 1927, 400, 1927, "worker").Switch(20, 0, 400, 1927);
  EXPECT_EQ(script.Lines("20 switch"),
            Lines{"20 switch cpu0 worker/400 blocked -> leader/1927 120 120"});
  EXPECT_EQ(script.translator().task_table().process_count(), 2u);
}

TEST(TaskTranslatorTest, WritesAChangedUserAtTheNextEvent) {
  CaptureScript script;
  script.Task(100, 100, "daemon").Task(101, 100, "thread").Task(200, 200, "other");
  script.Fork(10, 100, 300, 300, "daemon", 33);
  EXPECT_EQ(script.Lines("object process 100").back(), "object process 100 daemon {ppid=1 uid=33}");
  script.Rename(20, 100, 100, "named", 34);
  EXPECT_EQ(script.Lines("object process 100").back(), "object process 100 named {ppid=1 uid=34}");
  // A single thread may belong to another process.
  script.Rename(30, 101, 100, "odd", 35);
  script.Exit(40, 200, 200, 0, 36);
  EXPECT_EQ(script.Lines("object process 200").back(), "object process 200 other {ppid=1 uid=36}");
  script.FinalTask(100, 100, 37, 0);
  EXPECT_EQ(script.Lines("object process 100").back(), "object process 100 named {ppid=1 uid=37}");
  EXPECT_TRUE(script.Lines("uid=35").empty());
}

TEST(TaskTranslatorTest, WritesAChangedCgroupAtOnce) {
  CaptureScript script;
  script.Task(100, 100, "daemon").Task(101, 100, "thread");
  script.Cgroup(10, 100, 100, 7).Cgroup(20, 101, 100, 8);
  EXPECT_EQ(script.Lines("object process 100").back(),
            "object process 100 daemon {ppid=1 uid=0 cgroup=/7}");
  script.FinalTask(100, 100, 0, 9).FinalTask(100, 100, 0, 9);
  EXPECT_EQ(script.Lines("object process 100").size(), 3u);
  EXPECT_EQ(script.Lines("cgroup=/9").size(), 1u);
  EXPECT_EQ(script.translator().stats().identity_only, 2u);
}

TEST(TaskTranslatorTest, TruncatedCommandLineHasItsLength) {
  CaptureScript script;
  const std::string bytes = "cat" + std::string(1, '\0') + std::string(FXR_CMDLINE_BYTES - 4, 'x');
  script.Task(100, 100, "sh").Exec(20, 100, 100, "cat", "/bin/cat", bytes, 100'005);
  const Lines written = script.Lines("object process 100 cat");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_NE(
      written[0].find("{cmdline=cat " + std::string(4092, 'x') + " cmdline_cut=100004 ppid=1"),
      std::string::npos)
      << written[0];
  // Its children inherit it.
  script.Fork(30, 100, 200, 200, "cat");
  EXPECT_EQ(script.Lines("cmdline_cut=100004").size(), 2u);
}

TEST(TaskTranslatorTest, RemovesExitedThreads) {
  CaptureScript script;
  script.Task(100, 100, "sh");
  for (uint32_t i = 0; i < 10'000; ++i) {
    const uint64_t time = 1'000'000ull * (i + 1);
    script.Fork(time, 100, 200 + i, 200 + i, "short").Exit(time + 10, 200 + i, 200 + i, 0);
    // The last switch of every second thread is not recorded.
    if (i % 2 == 0) script.Switch(time + 20, 0, 200 + i, 100, FXR_STATE_DEAD);
    script.translator().OnTick(time);
  }
  EXPECT_LT(script.translator().task_table().thread_count(), 10'050u / 2 + 100);
  script.translator().OnTick(60'000'000'000);
  EXPECT_LT(script.translator().task_table().thread_count(), 5u);
}

TEST(TaskTranslatorTest, NamesTasksWithoutTheCategory) {
  CaptureScript script({.record_task_events = false});
  script.Task(100, 100, "sh").Fork(10, 100, 200, 200, "child").Switch(20, 0, 100, 200);
  EXPECT_TRUE(script.Lines(" instant ").empty());
  EXPECT_EQ(script.Lines("-> child/200").size(), 1u);
  EXPECT_EQ(script.translator().stats().identity_only, 1u);
}

}  // namespace
}  // namespace translate
