// SPDX-License-Identifier: BSD-2-Clause
#include "model/task_tracker.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string_view>

namespace model {
namespace {

class Identities final : public IdentitySource {
 public:
  ProcessText TextOf(uint32_t) override { return {}; }
  std::optional<fxr_task> LookUp(uint32_t tid) override {
    ++lookups;
    const auto found = tasks.find(tid);
    return found == tasks.end() ? std::nullopt : std::optional(found->second);
  }
  std::string CgroupPath(uint64_t id) override { return "/" + std::to_string(id); }
  std::string IrqName(uint32_t) override { return ""; }
  std::vector<ExecutableMapping> MappingsOf(uint32_t) override { return {}; }

  std::map<uint32_t, fxr_task> tasks;
  int lookups = 0;
};

fxr_task Task(uint32_t tid, uint32_t tgid, std::string_view comm, uint64_t start_time = 1) {
  fxr_task task{};
  task.tid = tid;
  task.tgid = tgid;
  task.start_time = start_time;
  comm.copy(task.comm, sizeof(task.comm) - 1);
  return task;
}

fxr_exit Exit(uint32_t tid) {
  fxr_exit event{};
  event.tid = tid;
  event.tgid = tid;
  return event;
}

// Runs no thread but one.
class OneOnCpu final : public TaskFollower {
 public:
  explicit OneOnCpu(ThreadHandle thread) : thread_(thread) {}
  void OnNewThread(ThreadHandle) override {}
  void OnNewProcess(ProcessHandle) override {}
  void OnThreadGone(ThreadHandle) override {}
  void OnThreadChanged(ThreadHandle) override {}
  void OnProcessChanged(ProcessHandle) override {}
  void OnProcessMoved(ThreadHandle) override {}
  void OnLeaderReplaced(ThreadHandle, ThreadHandle) override {}
  bool IsOnCpu(ThreadHandle thread) const override { return thread == thread_; }

 private:
  ThreadHandle thread_;
};

class TaskTrackerTest : public ::testing::Test {
 protected:
  Identities identities_;
  TaskTracker tasks_{identities_, true};
  TaskTable& table_ = tasks_.table();
};

TEST_F(TaskTrackerTest, TracksTasksWithoutAFile) {
  tasks_.OnSnapshotTask(Task(101, 100, "worker"));
  tasks_.OnSnapshotTask(Task(100, 100, "server"));
  tasks_.EndSnapshot();
  fxr_task child = Task(200, 200, "server", 5);
  child.creator = 100;
  const ThreadHandle born = tasks_.OnFork(child);
  EXPECT_EQ(tasks_.Thread(200), born);
  EXPECT_EQ(table_.process(table_.thread(born).process).name, "server");
  EXPECT_EQ(table_.process_count(), 2u);
  EXPECT_EQ(identities_.lookups, 0);
}

TEST_F(TaskTrackerTest, AForkThatWasInTheSnapshotIsTheSameTask) {
  tasks_.OnSnapshotTask(Task(100, 100, "early", 5));
  const ThreadHandle known = tasks_.Thread(100);
  EXPECT_EQ(tasks_.OnFork(Task(100, 100, "early", 5)), known);
  EXPECT_NE(tasks_.OnFork(Task(100, 100, "other", 6)), kNoHandle);
  EXPECT_EQ(table_.thread(tasks_.Thread(100)).name, "other");
  EXPECT_EQ(table_.thread_count(), 1u) << "who had the tid is gone";
}

TEST_F(TaskTrackerTest, KeepsARunningThreadWhoseTidIsReused) {
  tasks_.OnSnapshotTask(Task(100, 100, "old", 5));
  OneOnCpu cpu(tasks_.Thread(100));
  table_.Follow(cpu);
  tasks_.OnFork(Task(100, 100, "young", 6));
  EXPECT_EQ(table_.thread_count(), 2u);
}

TEST_F(TaskTrackerTest, KeepsAnExitedThreadForItsLastSwitch) {
  tasks_.OnSnapshotTask(Task(100, 100, "short"));
  tasks_.OnExit(1'000'000'000, Exit(100));
  tasks_.Sweep(10'000'000'000);
  EXPECT_EQ(table_.thread_count(), 1u);
  tasks_.Sweep(12'000'000'000);
  EXPECT_EQ(table_.thread_count(), 0u);
}

// It has the other thread's number then, and its last switch may never be seen.
TEST_F(TaskTrackerTest, RemovesALeaderWhoseTidWasTaken) {
  tasks_.OnSnapshotTask(Task(100, 100, "server"));
  tasks_.OnSnapshotTask(Task(101, 100, "worker"));
  tasks_.OnExit(1'000'000'000, Exit(100));
  fxr_exec exec{};
  exec.header.size = sizeof(exec);
  exec.tid = exec.tgid = 100;
  exec.old_tid = 101;
  const ThreadHandle worker = table_.Find(101);
  EXPECT_EQ(tasks_.OnExec(exec), worker);
  EXPECT_EQ(table_.thread_count(), 2u);
  tasks_.Sweep(12'000'000'000);
  EXPECT_EQ(table_.thread_count(), 1u);
  EXPECT_EQ(table_.Find(100), worker);
  EXPECT_EQ(table_.Find(101), kNoHandle);
}

// A signal may name the exited leader as its target.
TEST_F(TaskTrackerTest, MentioningAnExitedLeaderMakesNoProcess) {
  tasks_.OnSnapshotTask(Task(100, 100, "server"));
  tasks_.OnSnapshotTask(Task(101, 100, "worker"));
  tasks_.OnExit(1, Exit(100));
  tasks_.OnLastSwitch(table_.Find(100));
  const ThreadHandle leader = tasks_.Named(100);
  EXPECT_EQ(table_.Find(100), leader);
  EXPECT_EQ(table_.process_count(), 1u);
  const ThreadHandle worker = table_.Find(101);
  EXPECT_NE(worker, leader);
  EXPECT_EQ(table_.thread(leader).process, table_.thread(worker).process);
  const ThreadHandle born = tasks_.OnFork(Task(102, 100, "worker", 5));
  EXPECT_EQ(table_.thread(born).process, table_.thread(worker).process);
}

TEST_F(TaskTrackerTest, LooksUpATidOnce) {
  identities_.tasks[7] = Task(7, 7, "known");
  EXPECT_EQ(table_.thread(tasks_.Thread(7)).name, "known");
  EXPECT_EQ(table_.thread(tasks_.Thread(8)).name, "tid 8");
  tasks_.Thread(7);
  tasks_.Thread(8);
  EXPECT_EQ(identities_.lookups, 2);
}

TEST_F(TaskTrackerTest, CopiesTasksWithoutTheHistoryOfTids) {
  tasks_.OnSnapshotTask(Task(101, 100, "worker", 3));
  tasks_.OnSnapshotTask(Task(100, 100, "server", 2));
  tasks_.EndSnapshot();
  // A tid that was used before.
  for (uint64_t start = 5; start < 8; ++start) tasks_.OnFork(Task(200, 200, "again", start));
  tasks_.OnExit(1'000'000'000, Exit(200));
  EXPECT_NE(table_.thread(table_.Find(200)).koid, 200u);
  table_.PseudoThread(table_.PseudoProcess(0, "swapper"), 1u << 31, "swapper/0");
  TaskTracker copy(identities_, true);
  copy.CopyTasks(tasks_);
  const TaskTable& copied = copy.table();
  EXPECT_EQ(copied.thread_count(), 3u);
  EXPECT_EQ(copied.process_count(), 2u);
  const Thread& worker = copied.thread(copied.Find(101));
  EXPECT_EQ(worker.name, "worker");
  EXPECT_EQ(copied.process(worker.process).tgid, 100u);
  EXPECT_EQ(copied.process(worker.process).name, "server");
  EXPECT_EQ(copied.process(worker.process).start_time, 2u);
  EXPECT_EQ(copied.thread(copied.Find(200)).koid, 200u);
  EXPECT_TRUE(copied.thread(copied.Find(200)).exiting);
  // Ended tasks leave the copy as they would have left the original.
  copy.Sweep(12'000'000'000);
  EXPECT_EQ(copied.Find(200), kNoHandle);
  EXPECT_EQ(identities_.lookups, 0);
}

TEST_F(TaskTrackerTest, RenumbersWithoutTheHistoryOfTids) {
  tasks_.OnSnapshotTask(Task(100, 100, "server", 2));
  tasks_.OnSnapshotTask(Task(101, 100, "worker", 3));
  tasks_.OnFork(Task(200, 200, "first", 5));
  tasks_.OnExit(1'000'000'000, Exit(200));
  // Still on a CPU, so that it keeps its place when its tid gets a new owner.
  OneOnCpu running(table_.Find(200));
  table_.Follow(running);
  tasks_.OnFork(Task(200, 200, "second", 6));
  table_.Unfollow(running);
  tasks_.OnExit(2'000'000'000, Exit(200));
  EXPECT_EQ(table_.thread_count(), 4u);
  EXPECT_NE(table_.thread(table_.Find(200)).koid, 200u);
  tasks_.Renumber();
  tasks_.set_sees_switches(true);
  EXPECT_EQ(table_.thread_count(), 3u);
  for (const uint32_t tid : {100u, 101u, 200u}) {
    const Thread& thread = table_.thread(table_.Find(tid));
    EXPECT_EQ(thread.koid, tid);
    EXPECT_EQ(thread.process_koid, table_.process(thread.process).koid);
    EXPECT_EQ(thread.process_koid, tid == 101 ? 100 : tid);
  }
  EXPECT_EQ(table_.thread(table_.Find(200)).name, "second");
  // It waits for its last switch from here on.
  tasks_.Sweep(11'000'000'000);
  EXPECT_NE(table_.Find(200), kNoHandle);
  tasks_.Sweep(13'000'000'000);
  EXPECT_EQ(table_.Find(200), kNoHandle);
  EXPECT_NE(table_.thread(tasks_.OnFork(Task(200, 200, "third", 7))).koid, 200u);
}

TEST_F(TaskTrackerTest, KeepsALimitedNumberOfEndedTasks) {
  constexpr uint32_t kCount = 100'000;
  for (uint32_t tid = 1000; tid < 1000 + kCount; ++tid) {
    tasks_.OnFork(Task(tid, tid, "short", tid));
    tasks_.OnExit(tid, Exit(tid));
    tasks_.Sweep(tid);
  }
  EXPECT_LT(table_.thread_count(), kCount / 2);
  // The latest ones.
  EXPECT_NE(table_.Find(1000 + kCount - 1), kNoHandle);
  EXPECT_EQ(table_.Find(1000), kNoHandle);
}

}  // namespace
}  // namespace model
