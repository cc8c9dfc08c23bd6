// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/span_alignment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace analyze {
namespace {

TEST(SpanAlignmentTest, FindsTheOffsetOfSpans) {
  constexpr int64_t kOff = 123'456;
  SpanAlignment spans;
  std::mt19937 random(1);
  int64_t time = 0;
  std::vector<int64_t> moments;
  for (int i = 0; i < 2000; ++i) {
    time += 1000 + random() % 50'000;  // asleep
    const auto length = static_cast<int64_t>(500 + random() % 5000);
    spans.AddRun(7, {time, time + length});
    moments.push_back(time + 100);
    moments.push_back(time + length - 100);
    time += length;
  }
  for (const int64_t moment : moments) spans.AddMoment(7, moment - kOff);
  spans.AddMoment(8, 5);  // is outside all runs
  const auto fit = spans.Find(1'000'000);
  ASSERT_TRUE(fit);
  EXPECT_LE(std::llabs(fit->offset - kOff), 100);
  EXPECT_EQ(fit->inside, fit->moments);
  EXPECT_EQ(fit->moments, 4000u);
  EXPECT_LT(fit->inside_before, fit->moments / 2);
  EXPECT_FALSE(fit->ambiguous);
}

TEST(SpanAlignmentTest, PrefersTheNearestOfEqualFits) {
  SpanAlignment spans;
  for (int64_t i = 0; i < 100; ++i) spans.AddRun(1, {i * 1000, i * 1000 + 100});
  for (int64_t i = 40; i < 60; ++i) spans.AddMoment(1, i * 1000 + 150);
  const auto fit = spans.Find(100'000);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->ambiguous);
  EXPECT_EQ(fit->offset, -100);
  EXPECT_EQ(fit->error, 50);
}

TEST(SpanAlignmentTest, FindsNothingWithoutCommonThreads) {
  SpanAlignment spans;
  spans.AddRun(1, {0, 10});
  spans.AddMoment(2, 5);
  EXPECT_FALSE(spans.Find(1000));
}

TEST(SpanAlignmentTest, FindsNothingOutsideTheWindow) {
  SpanAlignment spans;
  spans.AddRun(1, {0, 10});
  spans.AddMoment(1, 5000);
  EXPECT_FALSE(spans.Find(1000));
  EXPECT_TRUE(spans.Find(10'000));
}

}  // namespace
}  // namespace analyze
