// SPDX-License-Identifier: BSD-2-Clause
// Limits of walks; what they find is in path_reader_test.cc.
#include "path/path_walker.h"

#include <gtest/gtest.h>

namespace path {
namespace {

// A timeline whose last record is at 10,000, with threads 1 and 2.
class Threads : public facts::TimelineState {
 public:
  Threads() {
    IndexOf(1);
    IndexOf(2);
    Reach(0);
    Reach(10'000);
  }
};

uint64_t SumOf(const std::vector<Part>& parts) {
  uint64_t sum = 0;
  for (const Part& part : parts) sum += part.length;
  return sum;
}

class PathWalkerTest : public ::testing::Test {
 protected:
  // Thread 1 alternately runs and waits for 1 ns, from 1000 to 9000.
  PathWalkerTest() {
    for (uint64_t time = 1000; time < 9000; time += 2) {
      threads_.Add(0, {.begin = time, .end = time + 1, .activity = facts::Activity::kRun});
      threads_.Add(0, {.begin = time + 1,
                       .end = time + 2,
                       .activity = facts::Activity::kPreempted,
                       .other = facts::ActivityInterval::kNone});
    }
  }

  Threads timeline_;
  facts::ActivityHistory threads_{1 << 20};
  facts::ActivityHistory cpus_{1 << 20};
  LabelPool labels_;
  SleepEvidence evidence_{timeline_, labels_};
};

TEST_F(PathWalkerTest, AddsUp) {
  PathWalker walker(timeline_, threads_, cpus_, evidence_);
  const auto& parts = walker.Walk({.begin = 2000, .end = 3000, .thread = 1});
  EXPECT_EQ(parts.size(), 1000U);
  EXPECT_EQ(SumOf(parts), 1000U);
  EXPECT_TRUE(walker.has_steps());
  EXPECT_TRUE(walker.Walk({.begin = 2000, .end = 2000, .thread = 1}).empty());
}

// A walk that has begun is whole. The next ones wait until enough of the trace was read.
TEST_F(PathWalkerTest, StepsAreInProportionToTheTrace) {
  PathWalker walker(timeline_, threads_, cpus_, evidence_, 100);
  EXPECT_TRUE(walker.has_steps());
  EXPECT_EQ(walker.Walk({.begin = 2000, .end = 3000, .thread = 1}).size(), 1000U);
  EXPECT_FALSE(walker.has_steps());
  walker.OnRead(900 * PathWalker::kBytesOfStep);
  EXPECT_FALSE(walker.has_steps());
  walker.OnRead(901 * PathWalker::kBytesOfStep);
  EXPECT_TRUE(walker.has_steps());
  walker.OnRead(0);
  EXPECT_TRUE(walker.has_steps());
}

// Sleeps that threads end for one another, deeper than the limit.
TEST_F(PathWalkerTest, EndsAtTheLimitOfDepth) {
  facts::ActivityHistory threads(1 << 20);
  class Many : public facts::TimelineState {
   public:
    Many() {
      for (fxt::Koid koid = 1; koid <= 200; ++koid) IndexOf(koid);
      Reach(0);
      Reach(10'000);
    }
  } timeline;
  // Thread i sleeps up to 5000 - i, ended by thread i + 1, and runs for one ns then.
  for (uint32_t i = 0; i < 200; ++i) {
    threads.Add(
        i,
        {.begin = 100, .end = 5000 - i - 1, .activity = facts::Activity::kSleep, .other = i + 1});
    threads.Add(i, {.begin = 5000 - i - 1, .end = 5000 - i, .activity = facts::Activity::kRun});
  }
  SleepEvidence evidence(timeline, labels_);
  PathWalker walker(timeline, threads, cpus_, evidence);
  const auto& parts = walker.Walk({.begin = 200, .end = 5000, .thread = 1});
  EXPECT_EQ(parts.size(), PathWalker::kMaxDepth + 2);
  EXPECT_EQ(parts.front().kind, PartKind::kUnknown);
  EXPECT_EQ(parts[1].depth, PathWalker::kMaxDepth);
  EXPECT_EQ(SumOf(parts), 4800U);
}

}  // namespace
}  // namespace path
