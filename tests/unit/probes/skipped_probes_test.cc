// SPDX-License-Identifier: BSD-2-Clause
#include "probes/skipped_probes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace probes {
namespace {

Probe Named(const std::string& name, const std::string& pattern) {
  Probe probe;
  probe.name = name;
  probe.pattern = pattern;
  return probe;
}

TEST(SkippedProbesTest, SaysHowManyFunctionsAreLeftOutAndWhy) {
  SkippedProbes skipped;
  const std::vector<Probe> probes = {Named("f1", "--uprobe x:f*"), Named("f2", "--uprobe x:f*"),
                                     Named("g", "")};
  EXPECT_TRUE(skipped.Describe(probes).empty());
  EXPECT_TRUE(skipped.CheckPatterns(probes));
  skipped.Add("--uprobe x:f*", "f2", "odd");  // while it is attached
  for (const char* name : {"f3", "f4", "f5", "f6"}) skipped.Add("--uprobe x:f*", name, "worse");
  EXPECT_EQ(
      skipped.Describe(probes),
      (std::vector<std::string>{
          "--uprobe x:f*: without 5 of 6 functions: f2 (odd); f3, f4, f5 and 1 more (worse)"}));
  EXPECT_TRUE(skipped.CheckPatterns(probes));
}

TEST(SkippedProbesTest, APatternWithoutAnyFunctionIsAnError) {
  SkippedProbes skipped;
  skipped.Add("--kprobe a*", "a1", "odd");
  const auto status =
      skipped.CheckPatterns({Named("b", "--kprobe b*"), Named("a1", "--kprobe a*")});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "--kprobe a*: none of its functions can be probed");
  EXPECT_EQ(status.error().hint, "a1: odd");
}

}  // namespace
}  // namespace probes
