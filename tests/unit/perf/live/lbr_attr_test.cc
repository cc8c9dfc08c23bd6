// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_attr.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>

#include "unit/perf/live/fake_kernel.h"

namespace perf {
namespace {

using testing::FakeKernel;

LbrOptions Options(std::string_view filter = "") {
  LbrOptions options;
  options.filter = *ParseLbrFilter(filter);
  return options;
}

Pmu CpuPmu() {
  Pmu pmu;
  pmu.name = "cpu";
  pmu.type = 4;
  pmu.branch_depth = 32;
  return pmu;
}

TEST(LbrOptionsTest, ReadsFilters) {
  EXPECT_EQ(*ParseLbrFilter(""),
            PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY);
  EXPECT_EQ(*ParseLbrFilter("user"), PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY);
  EXPECT_EQ(*ParseLbrFilter("user,call,return"),
            PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN);
  EXPECT_EQ(*ParseLbrFilter("k,any_ret"),
            PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY_RETURN);
  EXPECT_EQ(LbrFilterText(*ParseLbrFilter("call,user")), "user,call");
  for (const char* bad : {"users", "user,,call", ",", "user call"}) {
    const auto filter = ParseLbrFilter(bad);
    ASSERT_FALSE(filter.ok()) << bad;
    EXPECT_NE(filter.error().hint.find("ind_call"), std::string::npos);
  }
}

TEST(LbrAttrTest, HasExactlyTheExpectedFields) {
  LbrOptions options = Options();
  options.frequency = 500;
  options.ring_bytes = 1 << 20;
  const perf_event_attr attr = MakeLbrAttr(CpuPmu(), options);
  perf_event_attr expected;
  std::memset(&expected, 0, sizeof(expected));
  expected.type = PERF_TYPE_HARDWARE;
  expected.size = 128;  // PERF_ATTR_SIZE_VER7
  expected.config = PERF_COUNT_HW_CPU_CYCLES;
  expected.sample_freq = 500;
  expected.freq = 1;
  expected.sample_type = 0x987;  // IP, TID, TIME, CPU, PERIOD, BRANCH_STACK
  expected.disabled = 1;
  expected.exclude_hv = 1;
  expected.mmap = 1;
  expected.mmap2 = 1;
  expected.comm = 1;
  expected.comm_exec = 1;
  expected.task = 1;
  expected.watermark = 1;
  expected.wakeup_watermark = 256 << 10;
  expected.sample_id_all = 1;
  expected.exclude_guest = 1;
  expected.use_clockid = 1;
  expected.clockid = 1;               // CLOCK_MONOTONIC
  expected.branch_sample_type = 0xb;  // USER, KERNEL, ANY
  EXPECT_EQ(std::memcmp(&attr, &expected, sizeof(attr)), 0);
}

TEST(LbrAttrTest, FollowsTheOptions) {
  LbrOptions options = Options("user,call");
  options.period = 10007;
  const perf_event_attr attr = MakeLbrAttr(CpuPmu(), options);
  EXPECT_EQ(attr.freq, 0u);
  EXPECT_EQ(attr.sample_period, 10007u);
  EXPECT_EQ(attr.exclude_user, 0u);
  EXPECT_EQ(attr.exclude_kernel, 1u);
  EXPECT_EQ(attr.branch_sample_type,
            uint64_t{PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY_CALL});
  EXPECT_EQ(MakeLbrAttr(CpuPmu(), Options()).sample_freq, LbrOptions::kDefaultFrequency);
}

TEST(LbrAttrTest, NamesThePmuOfAHybridCpu) {
  Pmu atom = CpuPmu();
  atom.name = "cpu_atom";
  atom.type = 10;
  atom.hybrid = true;
  const perf_event_attr attr = MakeLbrAttr(atom, Options());
  EXPECT_EQ(attr.type, uint32_t{PERF_TYPE_HARDWARE});
  EXPECT_EQ(attr.config, uint64_t{10} << 32 | PERF_COUNT_HW_CPU_CYCLES);
}

TEST(LbrAttrTest, SamplesZen3WithItsOwnEventAndAPeriod) {
  Pmu zen3 = CpuPmu();
  zen3.needs_brs_event = true;
  const perf_event_attr attr = MakeLbrAttr(zen3, Options());
  EXPECT_EQ(attr.type, 4u);
  EXPECT_EQ(attr.config, 0xc4u);
  EXPECT_EQ(attr.freq, 0u);
  EXPECT_EQ(attr.sample_period, LbrOptions::kDefaultPeriod);
}

TEST(LbrAttrTest, UsesAllFeaturesOfANewKernel) {
  FakeKernel kernel;
  const AttrSearchResult result = FindAcceptedAttr(kernel, MakeLbrAttr(CpuPmu(), Options()), 0);
  EXPECT_EQ(result.error, 0);
  EXPECT_TRUE(result.accepted.refused.empty());
  for (const OptionalFeature feature : kAllOptionalFeatures) {
    EXPECT_TRUE(HasFeature(feature, result.accepted.attr)) << NameOf(feature);
  }
  EXPECT_EQ(kernel.attempts.size(), 1u);
}

TEST(LbrAttrTest, DropsOptionsThatAKernelRefuses) {
  for (const OptionalFeature missing : kAllOptionalFeatures) {
    for (const int error : {EINVAL, EOPNOTSUPP}) {
      FakeKernel kernel;
      kernel.verdict = [&](const perf_event_attr& attr, int) {
        return HasFeature(missing, attr) ? error : 0;
      };
      const AttrSearchResult result = FindAcceptedAttr(kernel, MakeLbrAttr(CpuPmu(), Options()), 0);
      EXPECT_EQ(result.error, 0);
      EXPECT_EQ(result.accepted.refused, std::vector<OptionalFeature>{missing});
      for (const OptionalFeature feature : kAllOptionalFeatures) {
        EXPECT_EQ(HasFeature(feature, result.accepted.attr), feature != missing);
      }
    }
  }
}

TEST(LbrAttrTest, ReturnsTheErrorOfTheBaseAttr) {
  FakeKernel kernel;
  kernel.verdict = [](const perf_event_attr& attr, int) {
    // A kernel checks the bits before it looks for hardware.
    return HasFeature(OptionalFeature::kPrivilege, attr) ? EINVAL : ENOENT;
  };
  EXPECT_EQ(FindAcceptedAttr(kernel, MakeLbrAttr(CpuPmu(), Options()), 0).error, ENOENT);
}

TEST(LbrAttrTest, StandInRequestsNoBranchFeatures) {
  FakeKernel kernel;
  kernel.verdict = [](const perf_event_attr& attr, int) {
    return attr.build_id || attr.branch_sample_type || attr.precise_ip ? EINVAL : 0;
  };
  const AttrSearchResult result = FindAcceptedAttr(kernel, MakeStandInAttr(Options()), 0);
  EXPECT_TRUE(result.accepted.refused.empty());
}

// Asks the running kernel. Its checks of the attr come before its search for hardware, so
// a machine without a PMU distinguishes a well-formed attr (ENOENT) from an invalid one (EINVAL).
class KernelVerdictTest : public ::testing::Test {
 protected:
  void SetUp() override {
    error_ = RunningKernel().Open(MakeLbrAttr(CpuPmu(), Options()), 0).error;
    if (error_ == EACCES || error_ == EPERM) GTEST_SKIP() << "may not open perf events";
    if (error_ == ENOSYS) GTEST_SKIP() << "the kernel has no perf events";
  }
  int error_ = 0;
};

TEST_F(KernelVerdictTest, AcceptsTheAttr) {
  EXPECT_TRUE(error_ == 0 || error_ == ENOENT || error_ == EOPNOTSUPP) << strerror(error_);
  for (const char* filter : {"user", "kernel", "user,call,return", "ind_call,cond", "in_tx,any"}) {
    const int error = RunningKernel().Open(MakeLbrAttr(CpuPmu(), Options(filter)), 0).error;
    EXPECT_EQ(error, error_) << filter;
  }
  // This kernel knows at least the features of Linux 6.1, which the tests are built for.
  perf_event_attr everything = MakeLbrAttr(CpuPmu(), Options());
  for (const OptionalFeature feature : kAllOptionalFeatures) AddFeature(feature, &everything);
  const int error = RunningKernel().Open(everything, 0).error;
  if (error == EINVAL) GTEST_SKIP() << "older kernel than 6.1";
  EXPECT_EQ(error, error_);
}

TEST_F(KernelVerdictTest, RefusesInvalidAttrs) {
  const auto verdict = [](void (*spoil)(perf_event_attr*)) {
    perf_event_attr attr = MakeLbrAttr(CpuPmu(), Options());
    spoil(&attr);
    return RunningKernel().Open(attr, 0).error;
  };
  EXPECT_EQ(verdict([](perf_event_attr* a) { a->branch_sample_type |= uint64_t{1} << 60; }),
            EINVAL);
  // A privilege level is not a kind of branch.
  EXPECT_EQ(verdict([](perf_event_attr* a) { a->branch_sample_type = PERF_SAMPLE_BRANCH_USER; }),
            EINVAL);
  EXPECT_EQ(verdict([](perf_event_attr* a) { a->sample_type |= uint64_t{1} << 40; }), EINVAL);
  EXPECT_EQ(verdict([](perf_event_attr* a) { a->read_format |= uint64_t{1} << 40; }), EINVAL);
  EXPECT_EQ(verdict([](perf_event_attr* a) { a->__reserved_1 = 1 << 20; }), EINVAL);
  EXPECT_EQ(verdict([](perf_event_attr* a) { a->size = 32; }), E2BIG);
}

TEST_F(KernelVerdictTest, AcceptsTheStandIn) {
  const AttrSearchResult result = FindAcceptedAttr(RunningKernel(), MakeStandInAttr(Options()), 0);
  EXPECT_EQ(result.error, 0) << strerror(result.error);
}

}  // namespace
}  // namespace perf
