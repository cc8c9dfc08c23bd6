// SPDX-License-Identifier: BSD-2-Clause
#include "query/concurrency.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace query {
namespace {

TEST(ConcurrencyTest, LevelsAddUpToTheWholeTime) {
  Concurrency intervals;
  EXPECT_EQ(intervals.TakeJson(), "[]");
  EXPECT_TRUE(intervals.Add(100, 50));
  EXPECT_TRUE(intervals.Add(10, 5));
  EXPECT_TRUE(intervals.Add(120, 10));
  EXPECT_TRUE(intervals.Add(150, 0));
  EXPECT_EQ(intervals.TakeJson(),
            R"([{"level":0,"ns":85},{"level":1,"ns":45},{"level":2,"ns":10}])");
  EXPECT_FALSE(intervals.Add(INT64_MAX, 1));
}

TEST(ConcurrencyTest, RandomIntervalsAreCountedAtEachTime) {
  std::mt19937 chance(1);
  for (int round = 0; round < 50; ++round) {
    Concurrency intervals;
    std::map<int64_t, int64_t> steps;
    const int64_t base = round % 2 == 0 ? -5'000'000 : 5'000'000'000'000;
    for (int i = 0; i < 200; ++i) {
      const auto begin = base + static_cast<int64_t>(chance() % 100'000);
      const auto length = static_cast<int64_t>(chance() % 5000);
      intervals.Add(begin, length);
      ++steps[begin];
      --steps[begin + length];
    }
    std::map<int64_t, int64_t> ns;
    int64_t level = 0;
    int64_t last = steps.begin()->first;
    for (const auto& [time, step] : steps) {
      ns[level] += time - last;
      last = time;
      level += step;
    }
    std::string expected;
    for (const auto& [at, time] : ns) {
      if (time == 0) continue;
      expected += (expected.empty() ? "[" : ",") + ("{\"level\":" + std::to_string(at)) +
                  ",\"ns\":" + std::to_string(time) + "}";
    }
    EXPECT_EQ(intervals.TakeJson(), expected + "]");
  }
}

}  // namespace
}  // namespace query
