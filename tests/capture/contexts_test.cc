// SPDX-License-Identifier: BSD-2-Clause
// The recorder's statement about wakers in interrupts on kernels where it cannot identify them.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "capture/bpf/bpf_programs.h"
#include "capture/bpf/kernel_features.h"
#include "capture/support/environment.h"
#include "util/cpu_list.h"

namespace truth {
namespace {

std::string Said(const capture::KernelFeatures& features) {
  capture::ProgramOptions options;
  options.ring_bytes = capture::kMinRingBytes;
  const auto programs = capture::BpfPrograms::Load(options, features);
  if (!programs.ok()) return programs.error().message;
  return capture::DescribeInterruptWakers((*programs)->contextless_cpus(),
                                          util::ReadCpuList("online").size());
}

std::string Known() { return capture::DescribeInterruptWakers({}, 1); }
std::string Unknown() { return capture::DescribeInterruptWakers({0}, 1); }

class ContextsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_CAPTURE();
    auto features = capture::ProbeKernel();
    ASSERT_TRUE(features.ok()) << features.error().message;
    features_ = *features;
    if (!features_.per_cpu) GTEST_SKIP() << "SKIPPED: this machine keeps the counts elsewhere";
    if (Said(features_) != Known()) GTEST_SKIP() << "SKIPPED: this kernel hides the counts";
  }

  capture::KernelFeatures features_;
};

TEST_F(ContextsTest, WithoutTheAddresses) {
  features_.per_cpu.reset();
  EXPECT_EQ(Said(features_), Unknown());
}

TEST_F(ContextsTest, WithoutTheCpuNumber) {
  // An unmapped address.
  features_.per_cpu->cpu_number = features_.per_cpu->runqueues + (uint64_t{1} << 40);
  EXPECT_EQ(Said(features_), Unknown());
}

// Runs a program on a CPU that came online after the programs were loaded.
uint64_t FoundLater(const capture::KernelFeatures& features) {
  capture::ProgramOptions options;
  options.ring_bytes = capture::kMinRingBytes;
  options.categories.set(FXR_CATEGORY_SCHED);
  const auto programs = capture::BpfPrograms::Load(options, features);
  EXPECT_TRUE(programs.ok());
  if (!programs.ok()) return 0;
  const uint32_t cpu = util::ReadCpuList("online").back();
  const volatile fxr_u64& address = (*programs)->control(cpu).preempt_count;
  const_cast<volatile fxr_u64&>(address) = 0;
  EXPECT_TRUE((*programs)->Attach().ok());
  // A timer wakes it there.
  std::thread sleeper([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    while (address == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  sleeper.join();
  return address;
}

TEST_F(ContextsTest, ALaterCpuHasItsCount) {
  EXPECT_GT(FoundLater(features_), FXR_PREEMPT_COUNT_HIDDEN);
}

TEST_F(ContextsTest, ALaterCpuWithWrongBits) {
  // With these bits every thread seems to be in an interrupt.
  features_.interrupt_mask = ~uint32_t{0};
  EXPECT_NE(Said(features_), Known());
  EXPECT_EQ(FoundLater(features_), FXR_PREEMPT_COUNT_HIDDEN);
}

}  // namespace
}  // namespace truth
