// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/hash_factor.h"

#include <gtest/gtest.h>

namespace fxt {
namespace {

TEST(HashFactorTest, IsOddAndTheSameForAllTables) {
  EXPECT_EQ(HashFactor() % 2, 1u);
  EXPECT_EQ(HashFactor(), HashFactor());
}

}  // namespace
}  // namespace fxt
