// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/id_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <unordered_map>

#include "unit/fxt/support/longest_bucket.h"

namespace fxt {
namespace {

constexpr uint64_t kIds = 4'000;

// Multiples of `step`, in a table of a size that a file's author knows in advance.
template <typename Map>
Map Multiples(uint64_t step) {
  Map map;
  map.reserve(kIds);
  for (uint64_t i = 1; i <= kIds; ++i) map.emplace(i * step, i);
  return map;
}

uint64_t BucketCount() {
  std::unordered_map<uint64_t, uint64_t> map;
  map.reserve(kIds);
  return map.bucket_count();
}

TEST(IdMapTest, FindsWhatWasAdded) {
  const auto map = Multiples<IdMap<uint64_t>>(3);
  ASSERT_EQ(map.size(), kIds);
  for (uint64_t i = 1; i <= kIds; ++i) ASSERT_EQ(map.at(i * 3), i);
  EXPECT_FALSE(map.contains(1));
  IdSet set = {1, uint64_t{1} << 63};
  EXPECT_TRUE(set.contains(uint64_t{1} << 63));
}

TEST(IdMapTest, IdsCannotBeChosenThatCollide) {
  const uint64_t buckets = BucketCount();
  // The standard hash has all of them in one bucket.
  EXPECT_EQ(testing::LongestBucket(Multiples<std::unordered_map<uint64_t, uint64_t>>(buckets)),
            kIds);
  for (const uint64_t step : {buckets, uint64_t{1} << 32, uint64_t{1} << 44, buckets << 16}) {
    EXPECT_LT(testing::LongestBucket(Multiples<IdMap<uint64_t>>(step)), 40u) << step;
  }
}

}  // namespace
}  // namespace fxt
