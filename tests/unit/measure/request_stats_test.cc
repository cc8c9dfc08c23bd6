// SPDX-License-Identifier: BSD-2-Clause
#include "measure/request_stats.h"

#include <gtest/gtest.h>

#include <string>

#include "measure/group_name.h"

namespace measure {
namespace {

PathPart Running(const std::string& thread) {
  return {.kind = path::PartKind::kRunning, .thread = thread};
}

TEST(RequestStatsTest, MergesTimesAndParts) {
  RequestStats a;
  a.times.AddWhole({.begin = 0, .length = 30, .thread = 7, .cpu = 0});
  a.parts[Running("x")] = 30;
  RequestStats b;
  b.times.AddWhole({.begin = 0, .length = 50, .thread = 7, .cpu = 0});
  b.parts[Running("x")] = 20;
  b.parts[Running("y")] = 30;
  a.Merge(b);
  EXPECT_EQ(a.times.whole.count(), 2U);
  EXPECT_EQ(a.times.whole_ns, 80U);
  EXPECT_EQ(a.parts, (std::map<PathPart, uint64_t>{{Running("x"), 50}, {Running("y"), 30}}));
}

// Parts beyond the limit count in the part of their kind: the sum stays.
TEST(RequestStatsTest, LeastPartsAreTogetherByKind) {
  std::map<PathPart, uint64_t> parts;
  uint64_t sum = 0;
  for (uint64_t i = 1; i <= 500; ++i) {
    PathPart part = Running(std::to_string(i));
    if (i % 2 == 0) part.kind = path::PartKind::kSleep;
    parts[part] = i;
    sum += i;
  }
  for (int again = 0; again < 2; ++again) {
    LimitParts(parts);
    EXPECT_LE(parts.size(), RequestStats::kParts);
    uint64_t left = 0;
    for (const auto& [part, ns] : parts) left += ns;
    EXPECT_EQ(left, sum);
  }
  EXPECT_EQ(parts.count(Running(std::string(kOthers))), 1U);
  EXPECT_EQ(parts.count(Running("499")), 1U);
  EXPECT_EQ(parts.count(Running("1")), 0U);
}

}  // namespace
}  // namespace measure
