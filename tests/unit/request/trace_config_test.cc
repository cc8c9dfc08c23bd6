// SPDX-License-Identifier: BSD-2-Clause
#include "request/trace_config.h"

#include <gtest/gtest.h>

namespace request {
namespace {

TEST(TraceConfigTest, NamesAreThoseOfTheProtocol) {
  for (const char* mode : {"ONESHOT", "CIRCULAR", "STREAMING"}) {
    ASSERT_TRUE(FindBufferingMode(mode));
    EXPECT_EQ(Name(*FindBufferingMode(mode)), mode);
  }
  for (const char* disposition : {"CLEAR_ALL", "CLEAR_NONDURABLE", "RETAIN"}) {
    ASSERT_TRUE(FindBufferDisposition(disposition));
    EXPECT_EQ(Name(*FindBufferDisposition(disposition)), disposition);
  }
  EXPECT_FALSE(FindBufferingMode("circular"));
  EXPECT_FALSE(FindBufferDisposition(""));
}

TEST(TraceConfigTest, AnEmptyFilterSelectsAllTasks) {
  TaskFilter filter;
  filter.follow = true;
  EXPECT_FALSE(filter.any());
  filter.comms = {"a"};
  EXPECT_TRUE(filter.any());
}

}  // namespace
}  // namespace request
