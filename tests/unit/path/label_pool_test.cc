// SPDX-License-Identifier: BSD-2-Clause
#include "path/label_pool.h"

#include <gtest/gtest.h>

namespace path {
namespace {

TEST(LabelPoolTest, EqualTextsHaveOneNumber) {
  LabelPool pool;
  const Label read = pool.Add("read");
  const Label write = pool.Add("write");
  EXPECT_NE(read, write);
  EXPECT_EQ(pool.Add("read"), read);
  EXPECT_EQ(pool.TextOf(write), "write");
  EXPECT_EQ(pool.Add(""), 0U);
  EXPECT_EQ(pool.TextOf(0), "");
}

TEST(LabelPoolTest, StaysWithinItsLimit) {
  LabelPool pool(1000);
  Label last = 0;
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    last = pool.Add(std::to_string(i));
    taken += last != 0 ? 1 : 0;
  }
  EXPECT_GT(taken, 3);
  EXPECT_LT(taken, 12);
  EXPECT_EQ(last, 0U);
  EXPECT_NE(pool.Add("0"), 0U);  // known texts keep their number
}

// Paths repeat their labels in many rows and lines.
TEST(LabelPoolTest, CutsLongTexts) {
  LabelPool pool;
  EXPECT_EQ(pool.TextOf(pool.Add(std::string(32'000, 'x'))),
            std::string(LabelPool::kMaxTextBytes, 'x'));
}

}  // namespace
}  // namespace path
