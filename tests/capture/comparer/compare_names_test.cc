// SPDX-License-Identifier: BSD-2-Clause
// Name differences that a rename in progress explains, and others.
#include <gtest/gtest.h>

#include <utility>

#include "capture/comparer/made_logs.h"
#include "capture/ftrace/compare.h"

namespace truth {
namespace {

TEST(CompareNames, AllowsANameOnlyWhileItsRenameIsUnderWay) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  recorded.log.cpus[0][20].prev_name = recorded.log.names.Intern("renamed");
  const uint32_t renamed = reference.names.Intern("renamed");
  const uint64_t switch_ns = reference.cpus[0][20].time_ns;
  const int32_t tid = reference.cpus[0][20].prev_tid;
  reference.renames = {{switch_ns - 2'000, 0, tid, tid, 1, renamed}};
  Comparison comparison = Compare(reference, recorded, {});
  EXPECT_TRUE(comparison.exact()) << comparison.Describe({});
  EXPECT_EQ(comparison.total.renames_in_flight, 1u);
  // Another task announced the rename long before, so it is complete.
  reference.renames = {{switch_ns - 4 * kStepNs + 500'000, 0, 7, tid, 1, renamed}};
  EXPECT_EQ(Compare(reference, recorded, {}).total.wrong_name, 1u);
}

TEST(CompareNames, AllowsSeveralRenamesBetweenTheTwoTracers) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  Switch& wanted = reference.cpus[0][20];
  Switch& ours = recorded.log.cpus[0][20];
  const uint32_t first = wanted.prev_name;
  const uint32_t second = reference.names.Intern("second");
  const uint32_t third = reference.names.Intern("third");
  ours.prev_name = recorded.log.names.Intern("third");
  ours.time_ns = wanted.time_ns + 15'000;
  const int32_t tid = wanted.prev_tid;
  reference.renames = {{wanted.time_ns + 5'000, 1, 7, tid, first, second},
                       {wanted.time_ns + 10'000, 1, 7, tid, second, third}};
  EXPECT_TRUE(Compare(reference, recorded, {}).exact());
  // The name of before both is wrong after them.
  reference.renames = {{wanted.time_ns - kStepNs, 1, 7, tid, first, second},
                       {wanted.time_ns - kStepNs / 2, 1, 7, tid, second, third}};
  EXPECT_EQ(Compare(reference, recorded, {}).total.wrong_name, 1u);
}

TEST(CompareNames, AllowsARenameThatItsAuthorWasPreemptedIn) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  const Switch& out = reference.cpus[0][20];
  const int32_t tid = out.prev_tid;
  recorded.log.cpus[0][20].prev_name = recorded.log.names.Intern("renamed");
  const uint32_t renamed = reference.names.Intern("renamed");
  // It returns with the fourth switch from here, and ftrace sees the rename just then ...
  const uint64_t back_ns = reference.cpus[0][23].time_ns;
  ASSERT_EQ(reference.cpus[0][23].next_tid, tid);
  reference.renames = {{back_ns + 2'000, 0, tid, tid, 1, renamed}};
  EXPECT_TRUE(Compare(reference, recorded, {}).exact());
  // ... but not after it has run for long, ...
  reference.renames = {{back_ns + kStepNs / 2, 0, tid, tid, 1, renamed}};
  EXPECT_EQ(Compare(reference, recorded, {}).total.wrong_name, 1u);
  // ... nor from a task that did not leave its CPU.
  reference.renames = {{back_ns + 2'000, 0, 7, tid, 1, renamed}};
  EXPECT_EQ(Compare(reference, recorded, {}).total.wrong_name, 1u);
}

TEST(CompareNames, AllowsANameThatIsHalfWritten) {
  SwitchLog reference = Reference(40);
  FxtLog recorded = Recording(reference);
  const uint64_t switch_ns = reference.cpus[0][20].time_ns;
  const int32_t tid = reference.cpus[0][20].prev_tid;
  recorded.log.cpus[0][20].prev_name = recorded.log.names.Intern("wl-fork");
  const uint32_t old_name = reference.names.Intern("workload");
  const uint32_t new_name = reference.names.Intern("wl-fork");
  reference.renames = {{switch_ns - 2'000, 0, tid, tid, old_name, new_name}};
  for (const auto& [comm, allowed] :
       {std::pair("wl-fork", true), std::pair("workload", true), std::pair("wl-fokd", false),
        std::pair("wl-forkd", true), std::pair("wl-forks", false), std::pair("wl", false)}) {
    reference.cpus[0][20].prev_name = reference.names.Intern(comm);
    EXPECT_EQ(Compare(reference, recorded, {}).exact(), allowed) << comm;
  }
}

TEST(CompareNames, AllowsLongerNamesOfKernelThreads) {
  SwitchLog reference = Reference(8);
  const uint32_t comm = reference.names.Intern("rcu_tasks_kthre");
  const uint32_t worker = reference.names.Intern("kworker/0:1");
  FxtLog recorded = Recording(reference);
  reference.cpus[0][0].prev_name = comm;
  recorded.log.cpus[0][0].prev_name = recorded.log.names.Intern("rcu_tasks_kthread");
  reference.cpus[0][4].prev_name = worker;
  recorded.log.cpus[0][4].prev_name = recorded.log.names.Intern("kworker/0:1-events");
  EXPECT_TRUE(Compare(reference, recorded, {}).exact());
  recorded.log.cpus[0][4].prev_name = recorded.log.names.Intern("kworker/0:1");
  EXPECT_TRUE(Compare(reference, recorded, {}).exact());
  recorded.log.cpus[0][4].prev_name = recorded.log.names.Intern("kworker/0:12");
  EXPECT_FALSE(Compare(reference, recorded, {}).exact());
}

}  // namespace
}  // namespace truth
