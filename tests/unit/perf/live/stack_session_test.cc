// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/stack_session.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cerrno>
#include <vector>

#include "unit/perf/fake_root.h"
#include "unit/perf/live/fake_kernel.h"

namespace perf {
namespace {

using testing::FakeKernel;
using testing::FakeRoot;

TEST(StackSessionTest, SamplesByCyclesWithAPmu) {
  FakeRoot root;
  root.Online("0-1").Pmu("cpu", "type", "4");
  FakeKernel kernel;
  const auto session = StackSession::Open({.frequency = 199}, kernel, root.path());
  ASSERT_TRUE(session.ok()) << session.error().message;
  EXPECT_EQ((*session)->event(), "cycles");
  EXPECT_EQ((*session)->fds().size(), 2u);
  const perf_event_attr& attr = kernel.FindEvent(1)->attr;
  EXPECT_EQ(attr.type, uint32_t{PERF_TYPE_HARDWARE});
  EXPECT_EQ(attr.freq, 1u);
  EXPECT_EQ(attr.sample_freq, 199u);
  EXPECT_EQ(attr.exclude_idle, 1u);
  EXPECT_EQ(attr.disabled, 1u);
  EXPECT_EQ(attr.clockid, CLOCK_MONOTONIC);
  EXPECT_TRUE(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

TEST(StackSessionTest, SamplesByTheClockWithoutAPmu) {
  FakeRoot root;
  root.Online("0");
  FakeKernel kernel;
  const auto session = StackSession::Open({.frequency = 99}, kernel, root.path());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->event(), "cpu-clock");
  EXPECT_EQ(kernel.FindEvent(0)->attr.config, uint64_t{PERF_COUNT_SW_CPU_CLOCK});
}

TEST(StackSessionTest, SamplesByTheClockIfThePmuRefuses) {
  FakeRoot root;
  root.Online("0").Pmu("cpu", "type", "4");
  FakeKernel kernel;
  kernel.verdict = [](const perf_event_attr& attr, int) {
    return attr.type == PERF_TYPE_HARDWARE ? ENOENT : 0;
  };
  const auto session = StackSession::Open({.frequency = 99}, kernel, root.path());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->event(), "cpu-clock");
}

TEST(StackSessionTest, AProgramTakesTheSamplesOfAllCpus) {
  constexpr int kProgram = 77;
  FakeRoot root;
  root.Online("0");
  FakeKernel kernel;
  const auto session =
      StackSession::Open({.frequency = 99, .program = kProgram}, kernel, root.path());
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE((*session)->runs_program());
  root.Online("0-1");
  (*session)->FollowCpus([](unsigned, const Record&) {});
  for (const int cpu : {0, 1}) {
    EXPECT_EQ(kernel.FindEvent(cpu)->program, kProgram);
    // The program unwinds by itself.
    EXPECT_FALSE(kernel.FindEvent(cpu)->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
  }
}

TEST(StackSessionTest, TheRingsReceiveTheSamplesIfTheProgramIsRefused) {
  FakeRoot root;
  root.Online("0");
  FakeKernel kernel;
  kernel.program_error = EINVAL;
  const auto session = StackSession::Open({.frequency = 99, .program = 77}, kernel, root.path());
  ASSERT_TRUE(session.ok());
  EXPECT_FALSE((*session)->runs_program());
  EXPECT_EQ(kernel.FindEvent(0)->program, -1);
  EXPECT_TRUE(kernel.FindEvent(0)->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

TEST(StackSessionTest, MappingsAloneTakeNoSamples) {
  FakeRoot root;
  root.Online("0").Pmu("cpu", "type", "4");
  FakeKernel kernel;
  const auto session = StackSession::Open({}, kernel, root.path());
  ASSERT_TRUE(session.ok());
  const perf_event_attr& attr = kernel.FindEvent(0)->attr;
  EXPECT_EQ(attr.config, uint64_t{PERF_COUNT_SW_DUMMY});
  EXPECT_EQ(attr.sample_freq, 0u);
  EXPECT_EQ(attr.mmap2, 1u);
}

TEST(StackSessionTest, ReportsWhyItCannotSample) {
  FakeRoot root;
  root.Online("0");
  FakeKernel kernel;
  kernel.verdict = [](const perf_event_attr&, int) { return EACCES; };
  const auto session = StackSession::Open({.frequency = 99}, kernel, root.path());
  ASSERT_FALSE(session.ok());
  EXPECT_NE(session.error().message.find("not permitted"), std::string::npos);
}

TEST(StackSessionTest, FollowsCpus) {
  FakeRoot root;
  root.Online("0-1");
  FakeKernel kernel;
  const auto session = StackSession::Open({.frequency = 99}, kernel, root.path());
  ASSERT_TRUE(session.ok());
  root.Online("1-2");
  (*session)->FollowCpus([](unsigned, const Record&) {});
  EXPECT_EQ((*session)->fds().size(), 2u);
  EXPECT_NE(kernel.FindEvent(2), nullptr);
}

}  // namespace
}  // namespace perf
