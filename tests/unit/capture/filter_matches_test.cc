// SPDX-License-Identifier: BSD-2-Clause
#include "capture/filter_matches.h"

#include <gtest/gtest.h>

namespace capture {
namespace {

fxr_task Task(uint32_t tid, uint32_t tgid, std::string_view comm) {
  fxr_task task{};
  task.tid = tid;
  task.tgid = tgid;
  comm.copy(task.comm, sizeof(task.comm) - 1);
  return task;
}

TEST(FilterMatchesTest, EachValueByItself) {
  TaskFilter filter;
  filter.tids = {7, 8};
  filter.tgids = {7, 8};
  filter.comms = {"worker", "absent"};
  filter.cgroups = {1, 2, 3};
  FilterMatches matches(filter, {"/a", "/b", "/c"});
  matches.OnTask(Task(8, 7, "worker"), "/a");
  matches.OnTask(Task(9, 9, "other"), "/c/below");
  EXPECT_FALSE(matches.tid(0));
  EXPECT_TRUE(matches.tid(1));
  EXPECT_TRUE(matches.tgid(0));
  EXPECT_FALSE(matches.tgid(1));
  EXPECT_TRUE(matches.comm(0));
  EXPECT_FALSE(matches.comm(1));
  EXPECT_TRUE(matches.cgroup(0));
  EXPECT_FALSE(matches.cgroup(1));
  EXPECT_TRUE(matches.cgroup(2));
}

TEST(FilterMatchesTest, NamesTheProcessOfAThreadGivenAsProcess) {
  TaskFilter filter;
  filter.tgids = {101, 102};
  FilterMatches matches(filter, {});
  fxr_task task{};
  task.tid = 101;
  task.tgid = 100;
  matches.OnTask(task, "/");
  EXPECT_FALSE(matches.tgid(0));
  EXPECT_EQ(matches.process_of_thread(0), 100u);
  EXPECT_EQ(matches.process_of_thread(1), 0u);
}

TEST(FilterMatchesTest, ComparesTruncatedNames) {
  TaskFilter filter;
  filter.comms = {"a-name-of-twenty-one"};
  FilterMatches matches(filter, {});
  matches.OnTask(Task(1, 1, "a-name-of"), "/");
  EXPECT_FALSE(matches.comm(0));
  matches.OnTask(Task(1, 1, "a-name-of-twent"), "/");
  EXPECT_TRUE(matches.comm(0));
}

TEST(FilterMatchesTest, ComparesCgroupPathsByComponent) {
  TaskFilter filter;
  filter.cgroups = {1, 2};
  FilterMatches matches(filter, {"/a", "/"});
  matches.OnTask(Task(1, 1, "x"), "/ab");
  EXPECT_FALSE(matches.cgroup(0));
  EXPECT_TRUE(matches.cgroup(1));
  // One that is not known might be in it.
  matches.OnTask(Task(1, 1, "x"), "");
  EXPECT_TRUE(matches.cgroup(0));
}

}  // namespace
}  // namespace capture
