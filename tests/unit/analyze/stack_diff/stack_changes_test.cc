// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/stack_diff/stack_changes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace analyze {
namespace {

using comparison::ComparisonRow;
using comparison::Metric;
using facts::WaitsFor;

constexpr uint64_t kMillisecond = 1'000'000;

// Two captures a side of a second each.
class StackChangesTest : public ::testing::Test {
 protected:
  // Time of each capture for that purpose.
  void Sleep(const std::vector<std::string>& frames, WaitsFor purpose,
             const std::vector<uint64_t>& ms, bool blocked = false) {
    StackTimes::Key key{7, {}};
    for (const std::string& frame : frames) key.frames.push_back(times_.frames().Add(frame));
    all_.push_back({key, purpose, ms, blocked});
  }
  StackChange Largest(Metric metric, double change = 1) {
    StackTimes& times = times_;
    for (size_t capture = 0; capture < 4; ++capture) {
      times.BeginCapture();
      for (const Entry& entry : all_) {
        StackTime& time = *times.Find(entry.key);
        (entry.blocked ? time.blocked : time.slept)[static_cast<size_t>(entry.purpose)] +=
            entry.ms[capture] * kMillisecond;
      }
    }
    ComparisonRow row;
    row.metric = metric;
    row.statistic = metric == Metric::kSleep ? comparison::Statistic::kSleepExcessP50
                                             : comparison::Statistic::kBlockedRate;
    row.change = change;
    return LargestChange(times, {1, 1, 1, 1}, 2, row, 7);
  }

 private:
  struct Entry {
    StackTimes::Key key;
    WaitsFor purpose;
    std::vector<uint64_t> ms;
    bool blocked;
  };
  StackTimes times_;
  std::vector<Entry> all_;
};

TEST_F(StackChangesTest, WaitsForWorkDoNotCount) {
  Sleep({"main", "loop", "epoll_wait"}, WaitsFor::kWork, {100, 100, 900, 900});
  // Timeouts at the same place.
  Sleep({"main", "loop", "epoll_wait"}, WaitsFor::kTimer, {10, 10, 400, 400});
  Sleep({"main", "serve", "usleep"}, WaitsFor::kTimer, {10, 10, 40, 40});
  const StackChange found = Largest(Metric::kSleep);
  EXPECT_EQ(found.frames, (std::vector<std::string>{"usleep", "serve", "main"}));
  EXPECT_DOUBLE_EQ(found.base, 10);
  EXPECT_DOUBLE_EQ(found.next, 40);
}

TEST_F(StackChangesTest, TimeInDAndInSAreApart) {
  Sleep({"main", "read"}, WaitsFor::kDevice, {1, 1, 90, 90});
  Sleep({"main", "fsync"}, WaitsFor::kDevice, {1, 1, 20, 20}, true);
  EXPECT_EQ(Largest(Metric::kBlocked).frames.front(), "fsync");
}

TEST_F(StackChangesTest, LinesThatMovedAreTheSameFunction) {
  Sleep({"main (a.c:1)", "commit (a.c:10)"}, WaitsFor::kAnswer, {50, 50, 0, 0});
  Sleep({"main (a.c:1)", "commit (a.c:12)"}, WaitsFor::kAnswer, {0, 0, 50, 50});
  Sleep({"main (a.c:1)", "log (a.c:20)"}, WaitsFor::kAnswer, {5, 5, 10, 10});
  EXPECT_EQ(Largest(Metric::kSleep).frames.front(), "log (a.c:20)");
}

TEST_F(StackChangesTest, AChangeWithinItsErrorIsNone) {
  Sleep({"main", "noise"}, WaitsFor::kAnswer, {10, 200, 20, 250});
  EXPECT_TRUE(Largest(Metric::kSleep).frames.empty());
}

TEST_F(StackChangesTest, WhatBecameFasterHasTheStackThatLost) {
  Sleep({"main", "up"}, WaitsFor::kAnswer, {10, 10, 20, 20});
  Sleep({"main", "down"}, WaitsFor::kAnswer, {30, 30, 10, 10});
  EXPECT_EQ(Largest(Metric::kSleep, -1).frames.front(), "down");
}

TEST(WithoutLineTest, TakesALineAlone) {
  EXPECT_EQ(WithoutLine("commit (log.c:12)"), "commit");
  EXPECT_EQ(WithoutLine("operator() (int)"), "operator() (int)");
  EXPECT_EQ(WithoutLine("f(std::string) (a b.cc:3)"), "f(std::string)");
  EXPECT_EQ(WithoutLine("f (a::b)"), "f (a::b)");
  EXPECT_EQ(WithoutLine("[libc.so.6]"), "[libc.so.6]");
  EXPECT_EQ(WithoutLine("f (a:)"), "f (a:)");
}

}  // namespace
}  // namespace analyze
