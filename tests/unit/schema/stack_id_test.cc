// SPDX-License-Identifier: BSD-2-Clause
#include "schema/stack_id.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace schema {
namespace {

TEST(StackIdTest, IsMadeOfTheAddressesAndTheirOrder) {
  const std::vector<uint64_t> stack = {0x401000, 0x401200, 0x7f0000001000};
  const std::vector<uint64_t> turned = {0x401200, 0x401000, 0x7f0000001000};
  EXPECT_EQ(StackIdOf(stack), StackIdOf(std::vector<uint64_t>(stack)));
  EXPECT_NE(StackIdOf(stack), StackIdOf(turned));
  EXPECT_NE(StackIdOf(stack), StackIdOf(std::span(stack).first(2)));
}

// Stacks of one program differ by little.
TEST(StackIdTest, DistinguishesSimilarStacks) {
  std::set<uint64_t> ids;
  for (uint64_t caller = 0; caller < 300; ++caller) {
    for (uint64_t leaf = 0; leaf < 300; ++leaf) {
      const uint64_t stack[] = {0x401000 + leaf, 0x401000 + caller};
      ids.insert(StackIdOf(stack));
    }
  }
  EXPECT_EQ(ids.size(), 300u * 300u);
}

// Files keep them.
TEST(StackIdTest, IsStable) {
  const uint64_t stack[] = {0x401000, 0xffffffff81000000};
  EXPECT_EQ(StackIdOf(stack), StackIdOf(stack));
  EXPECT_EQ(StackIdOf({}), 0xcbf29ce484222325u);
  EXPECT_TRUE(IsKernelAddress(stack[1]));
  EXPECT_FALSE(IsKernelAddress(stack[0]));
}

}  // namespace
}  // namespace schema
