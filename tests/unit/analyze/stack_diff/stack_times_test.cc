// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/stack_diff/stack_times.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "unit/analyze/flame/stack_trace.h"

namespace analyze {
namespace {

using testing::StackTrace;

const std::vector<uint64_t> kTimedStack = {StackTrace::kKernel, 0x1000};

TEST(StackTimesTest, AddsUpTheSleepsAndSamplesOfGroups) {
  StackTrace trace;
  trace.Define(kTimedStack)
      .Stack("off", 101, kTimedStack, 3000)
      .Stack("off", 101, kTimedStack, 4000);
  trace.Stack("on", 101, kTimedStack).Stack("on", 100, kTimedStack);
  const GroupNumbers groups = {{{"app", "worker #"}, 5}};
  StackTimes times;
  for (size_t capture = 0; capture < 2; ++capture) {
    EXPECT_EQ(times.BeginCapture(), capture);
    StackTimesReader reader(groups, {}, times);
    trace.Read([&](const fxt::Reader& record) { reader.Add(record); });
  }
  ASSERT_EQ(times.all().size(), 1u);
  const auto& [key, captures] = *times.all().begin();
  EXPECT_EQ(key.group, 5u);
  ASSERT_EQ(captures.size(), 2u);
  for (const StackTime& time : captures) {
    EXPECT_EQ(std::accumulate(time.slept.begin(), time.slept.end(), uint64_t{0}), 7000u);
    EXPECT_EQ(time.samples, 1u);
  }
}

TEST(StackTimesTest, CountsStacksWithoutRoom) {
  StackTimes times;
  times.BeginCapture();
  for (uint32_t i = 0; i < StackTimes::kMaxStacks; ++i) times.Find({0, {i}});
  EXPECT_EQ(times.left_out(), 0u);
  EXPECT_EQ(times.Find({1, {}}), nullptr);
  EXPECT_EQ(times.left_out(), 1u);
}

}  // namespace
}  // namespace analyze
