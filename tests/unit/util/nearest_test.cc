// SPDX-License-Identifier: BSD-2-Clause
#include "util/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace util {
namespace {

TEST(NearestTest, CountsEdits) {
  const std::vector<std::string> commands = {"info", "check", "dump", "json", "trim", "recover"};
  EXPECT_EQ(Nearest("info", commands), "info");
  EXPECT_EQ(Nearest("inof", commands), "info");
  EXPECT_EQ(Nearest("chek", commands), "check");
  EXPECT_EQ(Nearest("dmup", commands), "dump");
  EXPECT_EQ(Nearest("recoverr", commands), "recover");
  EXPECT_EQ(Nearest("", commands), "info") << "the first of the shortest";
  EXPECT_EQ(Nearest(std::string(100'000, 'x'), commands), "info");
  EXPECT_EQ(Nearest("word", {}), "");
}

TEST(NearestTest, SuggestsOnlyWordsThatHaveSomethingInCommon) {
  const std::vector<std::string> commands = {"info", "check", "draw"};
  EXPECT_EQ(Suggestion("chek", commands), "did you mean 'check'? ");
  EXPECT_EQ(Suggestion("stat", commands), "");
  EXPECT_EQ(Suggestion("", commands), "");
  EXPECT_EQ(Suggestion("word", {}), "");
}

}  // namespace
}  // namespace util
