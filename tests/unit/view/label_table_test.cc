// SPDX-License-Identifier: BSD-2-Clause
#include "view/label_table.h"

#include <gtest/gtest.h>

namespace view {
namespace {

TEST(LabelTableTest, NumbersEachTextOnce) {
  LabelTable table(1 << 20);
  const uint32_t one = table.Add("one");
  EXPECT_EQ(table.Add("two"), one + 1);
  EXPECT_EQ(table.Add("one"), one);
  EXPECT_EQ(table.Text(one), "one");
  EXPECT_EQ(table.Add(""), 0U);
  EXPECT_EQ(table.Text(0), "");
  EXPECT_EQ(table.Text(99), "");
}

TEST(LabelTableTest, TextsAreMadeSafe) {
  LabelTable table(1 << 20);
  EXPECT_EQ(table.Text(table.Add("a\x1b[31m")), "a\\u001b[31m");
}

TEST(LabelTableTest, TextsBeyondTheLimitAreCounted) {
  LabelTable table(1000);
  uint32_t last = 1;
  for (int i = 0; i < 100; ++i)
    last = table.Add(std::string(20, static_cast<char>('a' + i % 26)) + std::to_string(i));
  EXPECT_EQ(last, 0U);
  EXPECT_GT(table.left_out(), 0U);
  EXPECT_LE(table.bytes(), 1000U);
}

}  // namespace
}  // namespace view
