// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/pmu.h"

#include <gtest/gtest.h>

#include "unit/perf/fake_root.h"

namespace perf {
namespace {

using Cpus = std::vector<unsigned>;

TEST(PmuTest, FindsAnIntelCpu) {
  testing::FakeRoot root;
  root.Online("0-3").Pmu("cpu", "type", "4").Pmu("cpu", "caps/branches", "32");
  root.File("/proc/sys/kernel/perf_event_paranoid", "2\n");
  root.File("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme arch_lbr\n");
  const PmuSurvey survey = SurveyPmus(root.path());
  ASSERT_EQ(survey.pmus.size(), 1u);
  EXPECT_EQ(survey.pmus[0].name, "cpu");
  EXPECT_EQ(survey.pmus[0].type, 4u);
  EXPECT_EQ(survey.pmus[0].branch_depth, 32u);
  EXPECT_FALSE(survey.pmus[0].hybrid);
  EXPECT_FALSE(survey.pmus[0].needs_brs_event);
  EXPECT_EQ(survey.OnlineCpusOf(survey.pmus[0]), (Cpus{0, 1, 2, 3}));
  EXPECT_EQ(survey.paranoid, 2);
  EXPECT_FALSE(survey.virtual_machine);
}

TEST(PmuTest, FindsBothKindsOfAHybridCpu) {
  testing::FakeRoot root;
  root.Online("0-5,8-11");
  root.Pmu("cpu_core", "type", "4").Pmu("cpu_core", "cpus", "0-7");
  root.Pmu("cpu_core", "caps/branches", "32");
  root.Pmu("cpu_atom", "type", "10").Pmu("cpu_atom", "cpus", "8-11");
  root.Pmu("cpu_atom", "caps/branches", "32");
  const PmuSurvey survey = SurveyPmus(root.path());
  ASSERT_EQ(survey.pmus.size(), 2u);
  EXPECT_TRUE(survey.pmus[0].hybrid);
  EXPECT_EQ(survey.OnlineCpusOf(survey.pmus[0]), (Cpus{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(survey.pmus[1].type, 10u);
  EXPECT_EQ(survey.OnlineCpusOf(survey.pmus[1]), (Cpus{8, 9, 10, 11}));
}

TEST(PmuTest, DistinguishesTheKindsOfAmdCpus) {
  testing::FakeRoot zen3;
  zen3.Online("0").Pmu("cpu", "type", "4").Pmu("cpu", "caps/branches", "16");
  zen3.Pmu("cpu", "events/branch-brs", "event=0xc4");
  EXPECT_TRUE(SurveyPmus(zen3.path()).pmus[0].needs_brs_event);
  testing::FakeRoot zen4;
  zen4.Online("0").Pmu("cpu", "type", "4").Pmu("cpu", "caps/branches", "16");
  EXPECT_FALSE(SurveyPmus(zen4.path()).pmus[0].needs_brs_event);
}

TEST(PmuTest, FindsNothingInAVirtualMachine) {
  testing::FakeRoot root;
  root.Online("0-1").File("/proc/cpuinfo",
                          "flags\t\t: fpu hypervisor\nflags\t\t: fpu hypervisor\n");
  root.Pmu("software", "type", "1");
  const PmuSurvey survey = SurveyPmus(root.path());
  EXPECT_TRUE(survey.pmus.empty());
  EXPECT_TRUE(survey.virtual_machine);
  EXPECT_EQ(survey.paranoid, std::nullopt);
}

}  // namespace
}  // namespace perf
