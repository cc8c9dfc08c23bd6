// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/hash_factor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace fxt {
namespace {

TEST(HashFactorTest, IsOddAndTheSameForAllTables) {
  EXPECT_EQ(HashFactor() % 2, 1u);
  EXPECT_EQ(HashFactor(), HashFactor());
}

TEST(HashFactorTest, KeysDependOnEachNumberAndItsPlace) {
  std::set<uint64_t> hashes;
  for (uint64_t a = 0; a < 64; ++a) {
    for (uint64_t b = 0; b < 64; ++b) hashes.insert(HashOf(uint64_t{1} << a, uint64_t{1} << b));
  }
  EXPECT_EQ(hashes.size(), 64u * 64u);
  EXPECT_NE(HashOf(1, 2), HashOf(2, 1));
}

}  // namespace
}  // namespace fxt
