// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/flame_stacks.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/analyze/flame/stack_trace.h"

namespace analyze {
namespace {

using testing::StackTrace;

constexpr uint64_t kKernel = StackTrace::kKernel;
const std::vector<uint64_t> kSleeper = {kKernel, 0x1000, 0x2000};
const std::vector<uint64_t> kWaker = {kKernel, kKernel + 1, 0x3000};
const std::string kUser = "[unknown]";
const std::string kInKernel = "[kernel]_[k]";

FoldedStacks Fold(StackTrace& trace, FlameKind kind, FlameCounts* counts = nullptr) {
  FlameBuilder builder(kind, {.enabled = false, .files = {}, .kallsyms = {}, .lines = false});
  trace.Read([&](const fxt::Reader& reader) { builder.Add(reader); });
  FoldedStacks folded = builder.Finish();
  if (counts != nullptr) *counts = builder.counts();
  return folded;
}

TEST(FlameStacksTest, AddsUpTimeInMicroseconds) {
  StackTrace trace;
  trace.Define(kSleeper);
  for (int i = 0; i < 3; ++i) trace.Stack("off", 101, kSleeper, 1'400);
  trace.Stack("on", 101, kSleeper);
  // Three times 1.4 us are 4.2, not three times 1.
  EXPECT_EQ(Fold(trace, FlameKind::kOff),
            (FoldedStacks{{{"app", "worker 7", kUser, kUser, kInKernel}, 4}}));
  EXPECT_EQ(Fold(trace, FlameKind::kOn),
            (FoldedStacks{{{"app", "worker 7", kUser, kUser, kInKernel}, 1}}));
}

TEST(FlameStacksTest, AppendsTheStackOfTheWaker) {
  StackTrace trace;
  trace.Define(kSleeper).Define(kWaker);
  trace.Stack("wake", 100, kWaker, 5'000, 101).Stack("off", 101, kSleeper, 9'000);
  trace.Stack("off", 101, kSleeper, 9'000);  // its waker is unknown
  EXPECT_EQ(Fold(trace, FlameKind::kWake),
            (FoldedStacks{{{"app", "worker 7", kUser, kUser, kInKernel, "--", kInKernel, kInKernel,
                            kUser, "app"},
                           1}}));
}

TEST(FlameStacksTest, KeepsWakeupsOfThreadsWithoutStack) {
  StackTrace trace;
  trace.Define(kWaker);
  trace.Stack("wake", 100, kWaker, 5'000, 101).Stack("wake", 100, kWaker, 5'000, 101);
  EXPECT_EQ(Fold(trace, FlameKind::kWake),
            (FoldedStacks{{{"app", "worker 7", "--", kInKernel, kInKernel, kUser, "app"}, 2}}));
}

TEST(FlameStacksTest, CountsRejectedStacks) {
  StackTrace trace;
  trace.Stack("off", 101, kSleeper, 2'000);
  trace.Stack("nonsense", 101, kSleeper).Instant("off", 101, {});
  trace.Stack("wake", 101, kSleeper, 1);  // without a woken thread
  FlameCounts counts;
  EXPECT_EQ(Fold(trace, FlameKind::kOff, &counts), (FoldedStacks{{{"app", "worker 7"}, 2}}));
  EXPECT_EQ(counts.stacks, 1u);
  EXPECT_EQ(counts.undefined, 1u);
  EXPECT_EQ(counts.others, 1u);
  EXPECT_TRUE(Fold(trace, FlameKind::kWake).empty());
}

TEST(FlameStacksTest, NamesKeepTheirDigitsUnlessSeveralAreJoined) {
  FoldedStacks stacks = {{{"sqlite3", "sqlite3", "f"}, 1},
                         {{"app", "worker 1", "f"}, 2},
                         {{"app", "worker 2", "f"}, 3},
                         {{"app", "main", "f", "--", "g", "worker 2"}, 4}};
  FoldedStacks base = {{{"sqlite3", "sqlite3", "f"}, 5}, {{"app", "worker 1", "f"}, 6}};
  JoinNames(stacks, &base);
  EXPECT_EQ(stacks, (FoldedStacks{{{"sqlite3", "sqlite3", "f"}, 1},
                                  {{"app", "worker #", "f"}, 5},
                                  {{"app", "main", "f", "--", "g", "worker #"}, 4}}));
  EXPECT_EQ(base, (FoldedStacks{{{"sqlite3", "sqlite3", "f"}, 5}, {{"app", "worker #", "f"}, 6}}));
}

TEST(FlameStacksTest, KindsHaveNames) {
  for (const FlameKind kind : {FlameKind::kOff, FlameKind::kOn, FlameKind::kWake}) {
    EXPECT_EQ(FlameKindNamed(NameOf(kind)), kind);
    EXPECT_FALSE(UnitOf(kind).empty());
  }
  EXPECT_FALSE(FlameKindNamed("off ").has_value());
}

}  // namespace
}  // namespace analyze
