// SPDX-License-Identifier: BSD-2-Clause
#include "util/peak_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

namespace util {
namespace {

TEST(PeakMemoryTest, CountsMemoryThatWasFreed) {
  constexpr size_t kBytes = size_t{64} << 20;
  const uint64_t before = PeakMemory();
  ASSERT_GT(before, uint64_t{1} << 20);
  { const std::vector<char> touched(kBytes, 1); }
  const uint64_t after = PeakMemory();
  EXPECT_GE(after, kBytes);
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  // The kernel counts in steps, by CPU.
  constexpr uint64_t kSteps = uint64_t{4} << 20;
  EXPECT_LE(after, static_cast<uint64_t>(usage.ru_maxrss) * 1024 + kSteps);
}

}  // namespace
}  // namespace util
