// SPDX-License-Identifier: BSD-2-Clause
// What is said of wakers in interrupts where the kernel does not let the recorder tell them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

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

class ContextsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_CAPTURE();
    auto features = capture::ProbeKernel();
    ASSERT_TRUE(features.ok()) << features.error().message;
    features_ = *features;
    if (!features_.per_cpu) GTEST_SKIP() << "SKIPPED: this machine keeps the counts elsewhere";
    if (Said(features_) != "told apart") GTEST_SKIP() << "SKIPPED: this kernel hides the counts";
  }

  capture::KernelFeatures features_;
};

TEST_F(ContextsTest, NotToldApartWithoutThePlaces) {
  features_.per_cpu.reset();
  EXPECT_EQ(Said(features_), "not told apart");
}

TEST_F(ContextsTest, NotToldApartWhereTheCpusNumberIsNotFound) {
  // Where nothing is mapped that it could be read from.
  features_.per_cpu->cpu_number = features_.per_cpu->runqueues + (uint64_t{1} << 40);
  EXPECT_EQ(Said(features_), "not told apart");
}

}  // namespace
}  // namespace truth
