// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/text_pool.h"

#include <gtest/gtest.h>

namespace tables {
namespace {

TEST(TextPoolTest, TheSameContentIsOneText) {
  TextPool texts;
  const std::string* first = texts.Add("name");
  for (int i = 0; i < 1000; ++i) texts.Add(std::to_string(i));
  EXPECT_EQ(texts.Add(std::string("na") + "me"), first);
  EXPECT_EQ(*first, "name");
  EXPECT_NE(texts.Add("nam"), first);
}

TEST(TextPoolTest, TextsAreClean) {
  TextPool texts;
  EXPECT_EQ(*texts.Add("a\n"), "a\\u000a");
  EXPECT_EQ(texts.Add("a\n"), texts.Add("a\\u000a"));
}

TEST(TextPoolTest, HasALimit) {
  TextPool texts(200);
  EXPECT_NE(texts.Add("a"), nullptr);
  EXPECT_NE(texts.Add("b"), nullptr);
  EXPECT_EQ(texts.Add("c"), nullptr);
  EXPECT_NE(texts.Add("a"), nullptr);
}

}  // namespace
}  // namespace tables
