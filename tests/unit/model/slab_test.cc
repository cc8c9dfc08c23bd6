// SPDX-License-Identifier: BSD-2-Clause
#include "model/slab.h"

#include <gtest/gtest.h>

#include <string>

namespace model {
namespace {

TEST(SlabTest, NumbersAreConsecutive) {
  Slab<int> slab;
  EXPECT_EQ(slab.size(), 0u);
  for (uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(slab.Add(), i);
    ASSERT_EQ(slab.size(), i + 1);
    ASSERT_EQ(slab[i], 0);
    slab[i] = static_cast<int>(i) * 3;
  }
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(slab[i], static_cast<int>(i) * 3);
}

// The thread on a CPU is kept by its address.
TEST(SlabTest, ObjectsStayWhereTheyAreWhileItGrows) {
  Slab<std::string> slab;
  std::string* const first = &slab[slab.Add()];
  *first = "first";
  for (int i = 0; i < 10'000; ++i) slab.Add();
  EXPECT_EQ(&slab[0], first);
  EXPECT_EQ(slab[0], "first");
  EXPECT_EQ(static_cast<const Slab<std::string>&>(slab)[10'000], "");
}

}  // namespace
}  // namespace model
