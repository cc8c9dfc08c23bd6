// SPDX-License-Identifier: BSD-2-Clause
#include "query/time_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace query {
namespace {

void ExpectSorted(std::vector<int64_t> values) {
  std::vector<int64_t> expected = values;
  std::sort(expected.begin(), expected.end());
  SortTimes(values);
  EXPECT_EQ(values, expected);
}

TEST(TimeSortTest, SortsWhateverTheValuesAre) {
  std::mt19937_64 random(7);
  ExpectSorted({});
  ExpectSorted({5});
  ExpectSorted({INT64_MAX, INT64_MIN, 0, -1, INT64_MIN});
  for (const size_t size : {100, 32768, 200'000}) {
    for (const unsigned bits : {1, 11, 34, 63, 64}) {
      std::vector<int64_t> values(size);
      for (int64_t& value : values) value = static_cast<int64_t>(random() >> (64 - bits));
      ExpectSorted(values);
      values.push_back(INT64_MAX);  // all others are in one part then
      ExpectSorted(values);
    }
  }
}

}  // namespace
}  // namespace query
