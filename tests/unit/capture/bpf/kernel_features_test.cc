// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_features.h"

#include <gtest/gtest.h>

namespace capture {
namespace {

TEST(KernelFeaturesTest, DescribesInterruptWakers) {
  EXPECT_EQ(DescribeInterruptWakers({}, 4), "distinguished");
  EXPECT_EQ(DescribeInterruptWakers({1, 3}, 4), "not distinguished on CPUs 1,3");
  EXPECT_EQ(DescribeInterruptWakers({0, 1, 2, 3}, 4), "not distinguished");
}

}  // namespace
}  // namespace capture
