// SPDX-License-Identifier: BSD-2-Clause
#include "capture/counters/sampled_event.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "unit/perf/live/fake_kernel.h"

namespace capture {
namespace {

using perf::testing::FakeKernel;

TEST(SampledEventTest, RunsTheProgramAtEachOfThemOnEachCpu) {
  FakeKernel kernel;
  SampledEvent event = SampledEvent::Open(PERF_COUNT_SW_PAGE_FAULTS_MAJ, kernel, {0, 2});
  ASSERT_FALSE(event.empty());
  ASSERT_EQ(kernel.attempts.size(), 2u);
  EXPECT_EQ(kernel.attempts[0].type, uint32_t{PERF_TYPE_SOFTWARE});
  EXPECT_EQ(kernel.attempts[0].config, uint64_t{PERF_COUNT_SW_PAGE_FAULTS_MAJ});
  EXPECT_EQ(kernel.attempts[0].sample_period, 1u);
  EXPECT_EQ(event.Attach(77), 0);
  for (const auto& [fd, opened] : kernel.events()) EXPECT_EQ(opened.program, 77);
}

TEST(SampledEventTest, IsEmptyAfterARefusal) {
  FakeKernel kernel;
  kernel.verdict = [](const perf_event_attr&, int cpu) { return cpu == 1 ? EACCES : 0; };
  EXPECT_TRUE(SampledEvent::Open(PERF_COUNT_SW_PAGE_FAULTS_MAJ, kernel, {0, 1}).empty());
  kernel.verdict = [](const perf_event_attr&, int cpu) { return cpu == 1 ? ENODEV : 0; };
  SampledEvent event = SampledEvent::Open(PERF_COUNT_SW_PAGE_FAULTS_MAJ, kernel, {0, 1});
  ASSERT_FALSE(event.empty());
  kernel.program_error = EINVAL;
  EXPECT_EQ(event.Attach(77), EINVAL);
  EXPECT_TRUE(event.empty());
}

}  // namespace
}  // namespace capture
