// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/document/limit_words.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TEST(LimitWordsTest, NamesTheGroupAndItsShareOfEachPeriod) {
  EXPECT_EQ(LimitWords({.cgroup = "/a/b.service", .quota_ns = 30'000'000, .period_ns = 100'000'000}),
            "its cgroup /a/b.service may use 30 ms of each 100 ms");
  EXPECT_EQ(LimitWords({.cgroup = "/a", .quota_ns = 1'500'000, .period_ns = 5'000'000}),
            "its cgroup /a may use 1.5 ms of each 5 ms");
}

TEST(LimitWordsTest, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(LimitWords({.cgroup = "", .quota_ns = 30'000'000, .period_ns = 100'000'000}),
            "its cgroup may use 30 ms of each 100 ms");
  EXPECT_EQ(LimitWords({.cgroup = "/a"}), "its cgroup /a used up its quota");
  EXPECT_EQ(LimitWords({}), "its cgroup used up its quota");
}

TEST(LimitWordsTest, PathsDoNothingToATerminal) {
  EXPECT_EQ(LimitWords({.cgroup = "/a\x1b[2J"}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace analyze
