// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/runnable_reasons.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace facts {
namespace {

using schema::SettingScope;

constexpr int32_t kNice0 = 120;

class RunnableReasonsTest : public ::testing::Test {
 protected:
  // Thread `index` has the koid 100 + index; process 10 is that of thread 0, 11 of thread 1, ...
  void SetUp() override {
    for (ThreadIndex index : {0U, 1U, 2U}) {
      reasons_.NoteProcess(index, 100 + index, 10 + index);
    }
    Set(SettingScope::kSystem, "", 0,
        {{"kernel.release", "6.18"},
         {"cpu.online", "0-3"},
         {"kernel.sched_rt_runtime_us", "950000"}});
  }
  void Set(SettingScope scope, const std::string& subject, fxt::Koid process,
           const std::vector<std::pair<std::string, std::string>>& values, uint64_t time = 0) {
    std::vector<fxt::Argument> arguments;
    for (const auto& [name, value] : values) {
      arguments.push_back({fxt::StringRef::Inline(name), fxt::StringRef::Inline(value)});
    }
    SettingsEvent event{.scope = scope, .subject = subject, .process = {}, .values = arguments};
    if (process != 0) event.process = process;
    reasons_.AddSettings(event, time);
  }
  void Process(fxt::Koid process, const std::string& cgroup) {
    Set(SettingScope::kProcess, "app", process,
        {{"executable", "/app"}, {"cpus_allowed", "0-3"}, {"cgroup", cgroup}});
  }
  // Thread 0 waits on CPU 1 from 0 to 1000, while thread 1 with the priority has it.
  RunnableParts Behind(int32_t priority, int32_t own = kNice0, WaitKind kind = WaitKind::kWakeup,
                       uint64_t length = 1000) {
    RunnableReasons::OpenWait wait(reasons_, 0, own);
    wait.AddHolder(0, 0, length, reasons_.CgroupOf(1), priority);
    return wait.End({.index = 0, .kind = kind, .begin = 0, .end = length, .end_cpu = 1});
  }

  RunnableReasons reasons_;
};

TEST_F(RunnableReasonsTest, WithoutSettingsNothingIsKnown) {
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts());
  EXPECT_EQ(reasons_.CgroupOf(0), 0);
}

TEST_F(RunnableReasonsTest, AForbiddenCpuIsIdle) {
  Set(SettingScope::kProcess, "app", 10, {{"executable", "/app"}, {"cpus_allowed", "1-2"}});
  reasons_.OnEnd(0, 0);          // it waits
  reasons_.OnCpu(3, true, 100);  // not its own: from here on
  reasons_.OnCpu(2, true, 400);  // its own one: no more
  reasons_.OnCpu(2, false, 500);
  reasons_.OnCpu(3, false, 600);  // up to here
  RunnableReasons::OpenWait wait(reasons_, 0, kNice0);
  const WholeWait whole{
      .index = 0, .kind = WaitKind::kWakeup, .begin = 0, .end = 1000, .end_cpu = 1};
  EXPECT_EQ(wait.End(whole), (RunnableParts{.affinity = 400}));
  // It runs where it may not: it has another mask now.
  WholeWait elsewhere = whole;
  elsewhere.end_cpu = 3;
  EXPECT_EQ(wait.End(elsewhere), RunnableParts());
  // Others may run everywhere.
  EXPECT_EQ(RunnableReasons::OpenWait(reasons_, 1, kNice0).End(whole), RunnableParts());
}

TEST_F(RunnableReasonsTest, AThreadMayHaveItsOwnMask) {
  Set(SettingScope::kProcess, "app", 10,
      {{"executable", "/app"}, {"cpus_allowed", "0-3"}, {"thread.a.b/c/100.cpus_allowed", "1"}},
      50);
  reasons_.OnCpu(0, true, 100);
  RunnableReasons::OpenWait wait(reasons_, 0, kNice0);
  const WholeWait whole{
      .index = 0, .kind = WaitKind::kWakeup, .begin = 0, .end = 1000, .end_cpu = 1};
  EXPECT_EQ(wait.End(whole), (RunnableParts{.affinity = 900}));
  // The same as the process again.
  Set(SettingScope::kProcess, "app", 10, {{"thread.a.b/c/100.cpus_allowed", "0-3"}}, 1000);
  EXPECT_EQ(RunnableReasons::OpenWait(reasons_, 0, kNice0).End(whole), RunnableParts());
}

TEST_F(RunnableReasonsTest, NiceCountsInTheSameGroup) {
  Process(10, "/");
  Process(11, "/");
  EXPECT_EQ(Behind(kNice0 - 10), (RunnableParts{.weight = 1000}));
  EXPECT_EQ(Behind(kNice0), RunnableParts());
  EXPECT_EQ(Behind(kNice0 + 5), RunnableParts());
  // A real-time thread has no weight.
  EXPECT_EQ(Behind(50), RunnableParts());
}

TEST_F(RunnableReasonsTest, SessionsHaveGroupsOfTheirOwn) {
  Set(SettingScope::kSystem, "", 0, {{"kernel.sched_autogroup_enabled", "1"}});
  Process(10, "/");
  Process(11, "/");
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts());
  // Threads of one process are of one session.
  reasons_.NoteProcess(1, 101, 10);
  EXPECT_EQ(Behind(kNice0 - 10), (RunnableParts{.weight = 1000}));
}

TEST_F(RunnableReasonsTest, AutogroupsAreWeighed) {
  Set(SettingScope::kSystem, "", 0, {{"kernel.sched_autogroup_enabled", "1"}});
  const auto autogroup = [&](fxt::Koid process, const std::string& name, const std::string& nice) {
    Set(SettingScope::kProcess, "app", process, {{"autogroup", name}, {"autogroup_nice", nice}});
  };
  Process(10, "/");
  Process(11, "/");
  autogroup(10, "/autogroup-7", "0");
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts()) << "that of the other one is not known";
  autogroup(11, "/autogroup-7", "0");
  EXPECT_EQ(Behind(kNice0 - 10), (RunnableParts{.weight = 1000}));
  // Sessions weigh the same, whatever their threads do.
  autogroup(11, "/autogroup-8", "0");
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts());
  Set(SettingScope::kProcess, "app", 11, {{"autogroup_nice", "-5"}});
  EXPECT_EQ(Behind(kNice0 + 10), (RunnableParts{.weight = 1000}));
  // Threads without one are weighed by themselves beside sessions.
  Set(SettingScope::kProcess, "app", 11, {{"autogroup", "none"}});
  EXPECT_EQ(Behind(kNice0 + 5), RunnableParts());
  EXPECT_EQ(Behind(kNice0 - 5), (RunnableParts{.weight = 1000}));
  Set(SettingScope::kProcess, "app", 10, {{"autogroup", "none"}});
  EXPECT_EQ(Behind(kNice0 - 5, kNice0 - 10), RunnableParts());
  // A group that weighs has no sessions in it.
  Process(11, "/high");
  autogroup(11, "/autogroup-9", "19");
  Set(SettingScope::kCgroup, "/high", 0, {{"cpu.weight", "200"}});
  EXPECT_EQ(Behind(kNice0), (RunnableParts{.weight = 1000}));
}

TEST_F(RunnableReasonsTest, GroupsCountWhereTheyDiffer) {
  Process(10, "/low/a");
  Process(11, "/high");
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts()) << "their weights are not known";
  Set(SettingScope::kCgroup, "/low", 0, {{"cpu.weight", "50"}});
  Set(SettingScope::kCgroup, "/low/a", 0, {{"cpu.weight", "10000"}});
  Set(SettingScope::kCgroup, "/high", 0, {{"cpu.weight", "100"}});
  EXPECT_EQ(Behind(kNice0 + 10), (RunnableParts{.weight = 1000}));
  Set(SettingScope::kCgroup, "/high", 0, {{"cpu.weight", "20"}});
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts());
}

TEST_F(RunnableReasonsTest, GroupsOfVersionOne) {
  Process(10, "cpu:/low;memory:/");
  Process(11, "cpu:/;memory:/low");
  Set(SettingScope::kCgroup, "cpu:/low", 0, {{"cpu.shares", "512"}});
  // A thread of the root group counts by nice beside the group.
  EXPECT_EQ(Behind(kNice0), (RunnableParts{.weight = 1000}));
  EXPECT_EQ(Behind(kNice0 + 5), RunnableParts());
}

TEST_F(RunnableReasonsTest, AffinityGoesBeforeWeight) {
  Process(10, "/");
  Process(11, "/");
  Set(SettingScope::kProcess, "app", 10, {{"cpus_allowed", "1"}});
  reasons_.OnCpu(0, true, 300);
  reasons_.OnCpu(0, false, 500);
  EXPECT_EQ(Behind(kNice0 - 10), (RunnableParts{.affinity = 200, .weight = 800}));
}

TEST_F(RunnableReasonsTest, ALowerClassRunsInPlaceOfARealTimeThread) {
  constexpr uint64_t kMs = 1'000'000;
  EXPECT_EQ(Behind(kNice0, 50, WaitKind::kPreempted), (RunnableParts{.rt_throttled = 1000}));
  EXPECT_EQ(Behind(49, 50, WaitKind::kPreempted), RunnableParts());
  // A wakeup may have come late.
  EXPECT_EQ(Behind(kNice0, 50), RunnableParts());
  EXPECT_EQ(Behind(kNice0, 50, WaitKind::kWakeup, kMs), (RunnableParts{.rt_throttled = kMs}));
  // A thread that ran before the wait was not chosen instead.
  RunnableReasons::OpenWait wait(reasons_, 0, 50);
  wait.AddHolder(5, 10, 10 + kMs, 0, kNice0);
  EXPECT_EQ(wait.End({.index = 0, .kind = WaitKind::kPreempted, .begin = 10, .end = 10 + kMs}),
            RunnableParts());
  Set(SettingScope::kSystem, "", 0, {{"kernel.sched_rt_runtime_us", "-1"}});
  EXPECT_EQ(Behind(kNice0, 50, WaitKind::kPreempted), RunnableParts());
}

TEST_F(RunnableReasonsTest, BadListsAreNoMasks) {
  for (const char* list : {"", "x", "3-1", "0-", "1;2", "0-99999999"}) {
    Set(SettingScope::kProcess, "app", 10, {{"executable", "/app"}, {"cpus_allowed", list}});
    reasons_.OnCpu(0, true, 0);
    EXPECT_EQ(Behind(kNice0), RunnableParts()) << list;
  }
}

TEST_F(RunnableReasonsTest, LimitsHold) {
  for (fxt::Koid process = 1000; process < 1000 + 2 * RunnableReasons::kMaxCgroups; ++process) {
    Set(SettingScope::kProcess, "app", process,
        {{"executable", "/app"},
         {"cpus_allowed", std::to_string(process % 500)},
         {"cgroup", "/" + std::to_string(process)}});
  }
  Process(10, "/late");
  EXPECT_EQ(reasons_.CgroupOf(0), 0);
}

// A made-up file: 200,000 threads of one process whose settings come again and again, and whose
// groups are nested too deep.
TEST_F(RunnableReasonsTest, TheWorkForSettingsIsLimited) {
  constexpr ThreadIndex kThreads = 200'000;
  for (ThreadIndex index = 3; index < kThreads; ++index)
    reasons_.NoteProcess(index, 100 + index, 10);
  for (int i = 0; i < 100'000; ++i) Process(10, "/");
  Process(11, "/");
  EXPECT_EQ(Behind(kNice0 - 10), RunnableParts()) << "nothing is known any more";
}

TEST_F(RunnableReasonsTest, GroupsNestedTooDeepAreNotKnown) {
  std::string path;
  for (int i = 0; i < 10'000; ++i) path += "/a";
  Process(10, path);
  EXPECT_EQ(reasons_.CgroupOf(0), 0);
  Process(10, "/a/b/c");
  EXPECT_NE(reasons_.CgroupOf(0), 0);
}

}  // namespace
}  // namespace facts
