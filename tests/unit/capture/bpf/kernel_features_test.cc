// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_features.h"

#include <gtest/gtest.h>

namespace capture {
namespace {

TEST(KernelFeaturesTest, DescribesInterruptWakers) {
  EXPECT_EQ(DescribeInterruptWakers({}, 4), "told apart");
  EXPECT_EQ(DescribeInterruptWakers({1, 3}, 4), "not told apart on CPUs 1,3");
  EXPECT_EQ(DescribeInterruptWakers({0, 1, 2, 3}, 4), "not told apart");
}

}  // namespace
}  // namespace capture
