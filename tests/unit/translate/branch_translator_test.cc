// SPDX-License-Identifier: BSD-2-Clause
#include "translate/branch_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

perf::BranchStackSample Sample(uint64_t time, uint32_t cpu, uint32_t pid, uint32_t tid) {
  perf::BranchStackSample sample;
  sample.time = time;
  sample.cpu = cpu;
  sample.pid = pid;
  sample.tid = tid;
  sample.event = "cycles";
  sample.entries = {perf::BranchEntry{.from = 0x1010, .to = 0x1000, .flags = 0}};
  return sample;
}

class BranchTranslatorTest : public ::testing::Test {
 protected:
  BranchTranslatorTest() : script_(TranslatorOptions{.branches = true}) {
    script_.Task(100, 100, "app").Task(101, 100, "worker").Task(200, 200, "other");
    script_.Switch(1, 0, 200, 101);
  }
  perf::MmapRecord Mapping(uint32_t pid, uint64_t address) {
    perf::MmapRecord record{};
    record.pid = record.tid = pid;
    record.address = address;
    record.size = 0x1000;
    record.protection = 5;  // read, execute
    record.file = "/lib/plugin.so";
    return record;
  }
  CaptureScript script_;
};

TEST_F(BranchTranslatorTest, CountsSamplesAndWritesMappings) {
  Translator& translator = script_.translator();
  translator.OnMapping(5, Mapping(100, 0x1000));
  translator.OnMapping(6, Mapping(200, 0x5000));
  translator.OnBranchSample(Sample(10, 0, 100, 101));
  // Only the mapping of the sampled process.
  EXPECT_EQ(script_.Lines("mmap"), (Lines{"10 mmap worker/101 of 100 at 0x1000"}));
  EXPECT_EQ(translator.stats().events[FXR_CATEGORY_LBR], 1u);
  EXPECT_EQ(translator.stats().recorded[FXR_CATEGORY_LBR], 1u);
}

// perf reports -1 for a task that has released its pid and has not left its CPU yet.
TEST_F(BranchTranslatorTest, AttributesATaskWithoutAPidToTheRunningThread) {
  Translator& translator = script_.translator();
  translator.OnMapping(5, Mapping(100, 0x1000));
  translator.OnBranchSample(Sample(10, 0, UINT32_MAX, UINT32_MAX));
  translator.OnBranchSample(Sample(11, 0, UINT32_MAX, UINT32_MAX));
  EXPECT_EQ(script_.Lines("mmap"), (Lines{"10 mmap worker/101 of 100 at 0x1000"}));
  EXPECT_TRUE(script_.Lines("4294967295").empty());
  EXPECT_TRUE(script_.Lines("4194303").empty());
  EXPECT_EQ(script_.Lines("instant worker/101 lbr:branch_stack").size(), 2u);
}

TEST_F(BranchTranslatorTest, AttributesAnUnknownTaskToThePlaceholder) {
  Translator& translator = script_.translator();
  for (uint64_t time = 10; time < 20; ++time) {
    translator.OnBranchSample(Sample(time, 7, UINT32_MAX, UINT32_MAX));
  }
  EXPECT_TRUE(script_.Lines("4294967295").empty());
  EXPECT_EQ(script_.Lines("object thread").size(), script_.Lines("object process").size() + 1)
      << "each is named once: the worker is the second thread of its process";
}

// The handle of the sampled thread may be reused. Later mappings still belong to the old process.
TEST_F(BranchTranslatorTest, KeepsMappingsAfterTheSampledThreadExits) {
  Translator& translator = script_.translator();
  translator.OnBranchSample(Sample(10, 0, 100, 101));
  script_.Exit(20, 101, 100, 0).Switch(21, 0, 101, 0, FXR_STATE_DEAD);
  script_.Fork(30, 200, 300, 300, "newcomer");
  translator.OnMapping(40, Mapping(100, 0x9000));
  const Lines written = script_.Lines("mmap");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_NE(written[0].find(" of 100 at 0x9000"), std::string::npos) << written[0];
}

// The kernel copies the mappings of the process that calls fork(). With CLONE_PARENT it is a
// sibling of the child.
TEST_F(BranchTranslatorTest, ChildInheritsTheCreatorsMappings) {
  Translator& translator = script_.translator();
  translator.OnMapping(5, Mapping(100, 0x1000));
  script_.Fork(10, 101, 300, 300, "child");
  translator.OnBranchSample(Sample(20, 1, 300, 300));
  EXPECT_EQ(script_.Lines("mmap"), (Lines{"20 mmap child/300 of 300 at 0x1000"}));
}

TEST_F(BranchTranslatorTest, IdleTaskIsTheIdleThreadOfTheCpu) {
  script_.translator().OnBranchSample(Sample(10, 3, 0, 0));
  EXPECT_EQ(script_.Lines("lbr:branch_stack").size(), 1u);
  EXPECT_NE(script_.Lines("lbr:branch_stack")[0].find("10 instant swapper/3/"), std::string::npos);
  EXPECT_TRUE(script_.Lines("tid 0").empty());
}

}  // namespace
}  // namespace translate
