// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/document/limit_words.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TEST(LimitWordsTest, NamesTheGroupAndItsShareOfEachPeriod) {
  EXPECT_EQ(LimitWords("/a/b.service", 30'000'000, 100'000'000),
            "its cgroup /a/b.service may use 30 ms of each 100 ms");
  EXPECT_EQ(LimitWords("/a", 1'500'000, 5'000'000), "its cgroup /a may use 1.5 ms of each 5 ms");
}

TEST(LimitWordsTest, LeavesOutUnknownLimits) {
  EXPECT_EQ(LimitWords("", 30'000'000, 100'000'000), "its cgroup may use 30 ms of each 100 ms");
  EXPECT_EQ(LimitWords("/a", 0, 100), "its cgroup /a used up its quota");
  EXPECT_EQ(LimitWords("", 0, 0), "its cgroup used up its quota");
}

TEST(LimitWordsTest, PathsDoNothingToATerminal) {
  EXPECT_EQ(LimitWords("/a\x1b[2J", 0, 0).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace analyze
