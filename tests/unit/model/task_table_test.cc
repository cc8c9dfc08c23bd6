// SPDX-License-Identifier: BSD-2-Clause
#include "model/task_table.h"

#include <gtest/gtest.h>

#include <string>

#include "schema/koid.h"

namespace model {
namespace {

fxt::Koid ProcessOf(const TaskTable& table, ThreadHandle thread) {
  return table.thread(thread).process_koid;
}

TEST(TaskTableTest, ALeaderJoinsTheThreadsThatCameBefore) {
  TaskTable table;
  const ThreadHandle worker = table.Add(400, 1927, "worker", 20);
  const ThreadHandle leader = table.Add(1927, 1927, "leader", 10);
  const ThreadHandle later = table.Add(1930, 1927, "later", 30);
  EXPECT_EQ(table.process_count(), 1u);
  for (const ThreadHandle thread : {worker, leader, later})
    EXPECT_EQ(ProcessOf(table, thread), 1927u);
  EXPECT_EQ(table.thread(leader).koid, 1927u);
}

TEST(TaskTableTest, ALeaderWithoutTimesJoinsToo) {
  TaskTable table;
  const ThreadHandle worker = table.Add(400, 1927, "worker");
  EXPECT_EQ(ProcessOf(table, table.Add(1927, 1927, "leader")), ProcessOf(table, worker));
}

TEST(TaskTableTest, ALeaderIsAnotherProcessWhereThereIsALeader) {
  TaskTable table;
  const ThreadHandle first = table.Add(100, 100, "first", 10);
  const ThreadHandle second = table.Add(100, 100, "second", 50);
  EXPECT_EQ(ProcessOf(table, first), 100u);
  EXPECT_EQ(ProcessOf(table, second), schema::MakeKoid(100, 1));
}

// The end of the old one's thread was lost.
TEST(TaskTableTest, ALeaderThatIsYoungerThanTheThreadsIsAnotherProcess) {
  TaskTable table;
  const ThreadHandle stale = table.Add(400, 1927, "stale", 20);
  const ThreadHandle leader = table.Add(1927, 1927, "leader", 500);
  EXPECT_EQ(ProcessOf(table, stale), 1927u);
  EXPECT_EQ(ProcessOf(table, leader), schema::MakeKoid(1927, 1));
  // Never behind the process: a leaderless process would pass for one that is split in two.
  EXPECT_EQ(table.thread(leader).koid, schema::MakeKoid(1927, 1));
}

TEST(TaskTableTest, ALeaderThatIsSeenAgainIsOfTheSameProcess) {
  TaskTable table;
  const ThreadHandle leader = table.Add(100, 100, "leader", 10);
  table.Add(101, 100, "thread", 11);
  table.Remove(leader);
  EXPECT_EQ(ProcessOf(table, table.Add(100, 100, "leader", 10)), 100u);
  EXPECT_EQ(table.process_count(), 1u);
}

TEST(TaskTableTest, ReusesHandles) {
  TaskTable table;
  const ThreadHandle first = table.Add(100, 100, "first", 10);
  table.Remove(first);
  EXPECT_EQ(table.Find(100), kNoHandle);
  EXPECT_EQ(table.FindProcess(100), kNoHandle);
  EXPECT_EQ(table.thread_count(), 0u);
  EXPECT_EQ(table.process_count(), 0u);
  const ThreadHandle second = table.Add(200, 200, "second", 20);
  EXPECT_EQ(second, first);
  EXPECT_EQ(table.thread_handles(), 1u);
  EXPECT_EQ(table.thread(second).koid, 200u);
  EXPECT_EQ(table.thread(second).name, "second");
  EXPECT_EQ(table.FindProcess(200), table.thread(second).process);
}

TEST(TaskTableTest, RemovingAPreviousOwnerKeepsTheTid) {
  TaskTable table;
  const ThreadHandle old = table.Add(300, 100, "old", 10);
  const ThreadHandle young = table.Add(300, 400, "young", 50);
  EXPECT_EQ(table.Find(300), young);
  EXPECT_EQ(table.thread(young).koid, schema::MakeKoid(300, 1));
  table.Remove(old);
  EXPECT_EQ(table.Find(300), young);
}

TEST(TaskTableTest, AProcessGoesWithItsLastThread) {
  TaskTable table;
  const ThreadHandle leader = table.Add(100, 100, "leader", 10);
  const ThreadHandle thread = table.Add(101, 100, "thread", 11);
  table.Remove(leader);
  EXPECT_NE(table.FindProcess(100), kNoHandle);
  table.Remove(thread);
  EXPECT_EQ(table.FindProcess(100), kNoHandle);
  table.Remove(thread);  // once more is nothing
  EXPECT_EQ(table.thread_count(), 0u);
}

TEST(TaskTableTest, ExecOfAThreadExchangesTidsAndKoids) {
  TaskTable table;
  const ThreadHandle leader = table.Add(100, 100, "leader", 10);
  const ThreadHandle thread = table.Add(101, 100, "thread", 11);
  table.TakeOverLeader(thread, 100);
  EXPECT_EQ(table.Find(100), thread);
  EXPECT_EQ(table.Find(101), leader);
  EXPECT_EQ(table.thread(thread).koid, 100u);
  EXPECT_EQ(table.thread(leader).koid, 101u);
  EXPECT_EQ(table.thread(thread).start_time, 10u);
}

TEST(TaskTableTest, ExecOfAThreadWhoseLeaderIsGoneHasItsKoid) {
  TaskTable table;
  const ThreadHandle leader = table.Add(100, 100, "leader", 10);
  const ThreadHandle thread = table.Add(101, 100, "thread", 11);
  table.Remove(leader);
  table.TakeOverLeader(thread, 100);
  EXPECT_EQ(table.Find(100), thread);
  EXPECT_EQ(table.Find(101), kNoHandle);
  EXPECT_EQ(table.thread(thread).koid, 100u);
}

TEST(TaskTableTest, APseudoThreadIsTheSameOneAgain) {
  TaskTable table;
  const ProcessHandle process = table.PseudoProcess(schema::kIdleProcessKoid, "swapper");
  const ThreadHandle idle = table.PseudoThread(process, schema::IdleKoid(3), "swapper/3");
  EXPECT_EQ(table.PseudoProcess(schema::kIdleProcessKoid, "swapper"), process);
  EXPECT_EQ(table.PseudoThread(process, schema::IdleKoid(3), "swapper/3"), idle);
  EXPECT_NE(table.PseudoThread(process, schema::IdleKoid(4), "swapper/4"), idle);
  EXPECT_EQ(table.Find(0), kNoHandle);
}

// Records the notifications.
class Listener final : public TaskFollower {
 public:
  void OnNewThread(ThreadHandle thread) override { Hear("thread", thread); }
  void OnNewProcess(ProcessHandle process) override { Hear("process", process); }
  void OnThreadGone(ThreadHandle thread) override { Hear("gone", thread); }
  void OnThreadChanged(ThreadHandle thread) override { Hear("changed", thread); }
  void OnProcessChanged(ProcessHandle process) override { Hear("process-changed", process); }
  void OnProcessMoved(ThreadHandle leader) override { Hear("moved", leader); }
  void OnLeaderReplaced(ThreadHandle thread, ThreadHandle leader) override {
    Hear(leader == kNoHandle ? "leads" : "leads-for-" + std::to_string(leader), thread);
  }
  bool IsOnCpu(ThreadHandle thread) const override { return thread == on_cpu; }

  std::string heard;
  ThreadHandle on_cpu = kNoHandle;

 private:
  void Hear(const std::string& what, uint32_t who) {
    heard += what + " " + std::to_string(who) + ";";
  }
};

TEST(TaskTableTest, NotifiesFollowers) {
  TaskTable table;
  Listener listener, other;
  const ThreadHandle leader = table.Add(100, 100, "leader", 10);
  table.Follow(listener);
  table.Follow(other);
  const ThreadHandle thread = table.Add(101, 100, "thread", 11);
  table.Add(200, 200, "process", 20);
  table.TakeOverLeader(thread, 100);
  table.NotifyThreadChanged(thread);
  table.NotifyProcessMoved(thread);
  table.Remove(leader);
  EXPECT_EQ(listener.heard, "thread 1;process 1;thread 2;leads-for-0 1;changed 1;moved 1;gone 0;");
  EXPECT_EQ(other.heard, listener.heard);
  EXPECT_FALSE(table.IsOnCpu(thread));
  other.on_cpu = thread;
  EXPECT_TRUE(table.IsOnCpu(thread));
  table.Unfollow(other);
  EXPECT_FALSE(table.IsOnCpu(thread));
}

}  // namespace
}  // namespace model
