// SPDX-License-Identifier: BSD-2-Clause
#include "measure/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace measure {
namespace {

using ::testing::ElementsAre;

TEST(DistributionTest, TheLongestInstancesAreKeptLongestFirst) {
  Distribution times;
  for (const uint64_t length : {3, 9, 1, 7, 9, 8}) {
    times.Keep({.begin = 0, .length = length, .thread = times.worst.size()});
  }
  std::vector<uint64_t> lengths;
  for (const Instance& instance : times.worst) lengths.push_back(instance.length);
  EXPECT_THAT(lengths, ElementsAre(9, 9, 8, 7));
  EXPECT_EQ(times.worst[0].thread, 1u) << "the first of a length stays the first";
}

TEST(DistributionTest, PartsThatAreIncludedMakeWhatCountingEverythingMakes) {
  Distribution all;
  Distribution one;
  Distribution other;
  uint64_t begin = 0;
  for (const uint64_t length : {5, 9, 9, 1, 9, 7, 9, 9, 8, 12, 9}) {
    const Instance instance{.begin = ++begin, .length = length};
    all.AddWhole(instance);
    (begin % 3 == 0 ? one : other).AddWhole(instance);
  }
  one.Include(other);
  EXPECT_TRUE(one == all);
}

}  // namespace
}  // namespace measure
