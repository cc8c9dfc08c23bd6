// SPDX-License-Identifier: BSD-2-Clause
#include "output/name_pattern.h"

#include <gtest/gtest.h>

namespace output {
namespace {

TEST(NamePatternTest, ExpandsNumbersTimesAndPercentSigns) {
  const auto pattern = NamePattern::Parse("a%n/spike-%n-100%%.fxt");
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(pattern->is_unique());
  EXPECT_EQ(pattern->directory(), "a%n/") << "only the last component is a pattern";
  EXPECT_EQ(pattern->Expand(12, 0), "a%n/spike-12-100%.fxt");
  EXPECT_TRUE(pattern->Matches("spike-7-100%.fxt"));
  EXPECT_FALSE(pattern->Matches("spike--100%.fxt"));
  EXPECT_FALSE(pattern->Matches("spike-7-100%.fxt.old"));
  const auto timed = NamePattern::Parse("day-%t.fxt.gz");
  ASSERT_TRUE(timed.ok());
  EXPECT_TRUE(timed->Matches(timed->Expand(1, 0)));
  EXPECT_TRUE(timed->Matches("day-20260131-120000.fxt.gz"));
  EXPECT_FALSE(timed->Matches("day-2026013-1120000.fxt.gz"));
  EXPECT_FALSE(timed->Matches("day-20260131-120000.fxt"));
  EXPECT_NE(timed->Expand(1, 0), timed->Expand(1, uint64_t{3600} * 1'000'000'000));
  const auto host = NamePattern::Parse("%h-%n");
  ASSERT_TRUE(host.ok());
  EXPECT_TRUE(host->Matches(host->Expand(3, 0)));
}

TEST(NamePatternTest, ReadsTheNumberOfAName) {
  const auto pattern = NamePattern::Parse("a/spike-%n.fxt");
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(pattern->NumberOf("spike-17.fxt"), 17u);
  EXPECT_EQ(pattern->NumberOf("spike-99999999999999999999.fxt"), UINT64_MAX);
  EXPECT_EQ(pattern->NumberOf("spike-.fxt"), std::nullopt);
  EXPECT_EQ(pattern->NumberOf("spike-1.fxt.old"), std::nullopt);
  const auto timed = NamePattern::Parse("day-%t.fxt");
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(timed->NumberOf(timed->Expand(1, 0)), std::nullopt);
}

TEST(NamePatternTest, AddsNumbersToANameWithoutPattern) {
  const auto pattern = NamePattern::Parse("dir.d/trace.fxt.gz");
  ASSERT_TRUE(pattern.ok());
  EXPECT_FALSE(pattern->is_unique());
  EXPECT_EQ(pattern->Expand(1, 0), "dir.d/trace.fxt.gz");
  EXPECT_EQ(pattern->Expand(2, 0), "dir.d/trace-2.fxt.gz");
  EXPECT_FALSE(pattern->Matches("trace-2.fxt.gz"));
  EXPECT_EQ(NamePattern::BeforeEnding("a.b/.hidden", "-x"), "a.b/.hidden-x");
}

TEST(NamePatternTest, RejectsInvalidPatterns) {
  for (const char* path : {"a%", "a%d", "x/%%%"}) {
    EXPECT_FALSE(NamePattern::Parse(path).ok()) << path;
  }
  EXPECT_TRUE(NamePattern::Parse("100%/a").ok());
}

}  // namespace
}  // namespace output
