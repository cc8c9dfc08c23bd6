// SPDX-License-Identifier: BSD-2-Clause
#include "measure/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/measure/random_capture.h"

namespace measure {
namespace {

using testing::RandomCapture;

TEST(CaptureTest, MergingIsAssociative) {
  for (uint64_t seed = 0; seed < 60; seed += 3) {
    const Capture a = RandomCapture(seed);
    const Capture b = RandomCapture(seed + 1);
    const Capture c = RandomCapture(seed + 2);
    Capture left = a;
    left.Merge(b);
    left.Merge(c);
    Capture right_part = b;
    right_part.Merge(c);
    Capture right = a;
    right.Merge(right_part);
    ASSERT_TRUE(left == right) << seed;
  }
}

TEST(CaptureTest, MergingWithItselfIsMergingWithItsLike) {
  Capture merged = RandomCapture(1);
  merged.Merge(RandomCapture(1));
  Capture own = RandomCapture(1);
  own.Merge(own);
  EXPECT_TRUE(own == merged);
}

TEST(CaptureTest, GroupsOfOneNameAreOneAndBlamesFollowThem) {
  Capture one;
  one.end = 100;
  one.groups.resize(2);
  one.groups[0].name = {"a", "a"};
  one.groups[1].name = {"m", "m"};
  one.groups[1].threads = 2;
  one.groups[1].share_ns[0] = 200;
  one.groups[1].blames[0][0] = {.count = 1, .ns = 5};
  Capture two = one;
  two.end = 50;
  two.groups[0].name = {"b", "b"};
  two.groups[1].share_ns[0] = 100;
  one.Merge(two);
  EXPECT_EQ(one.length(), 150u);
  ASSERT_EQ(one.groups.size(), 3u);
  EXPECT_EQ(one.groups[1].name.process, "b");
  const Group& merged = one.groups[2];
  EXPECT_EQ(merged.threads, 4u);
  EXPECT_EQ(merged.of(facts::Share::kRunning), 300u);
  EXPECT_EQ(merged.of(facts::Share::kAbsent), 2 * 50 + 2 * 100u);
  EXPECT_EQ(merged.blames[0].at(0).ns, 5u);
  EXPECT_EQ(merged.blames[0].at(1).ns, 5u);
}

}  // namespace
}  // namespace measure
