// SPDX-License-Identifier: BSD-2-Clause
#include "model/task_table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace model
