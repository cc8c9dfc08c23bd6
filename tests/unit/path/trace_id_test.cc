// SPDX-License-Identifier: BSD-2-Clause
#include "path/trace_id.h"

#include <gtest/gtest.h>

namespace path {
namespace {

TEST(TraceIdTest, IsTheArgumentOfThatNameIfItIsAText) {
  EXPECT_EQ(TraceIdOf(R"("side":"server","trace_id":"4bf92f")"), "4bf92f");
  EXPECT_EQ(TraceIdOf(R"("trace_id":7)"), "");
  EXPECT_EQ(TraceIdOf(R"("span_id":"trace_id")"), "");
  EXPECT_EQ(TraceIdOf(R"("trace_id":"cut)"), "");
  EXPECT_EQ(TraceIdOf(""), "");
}

}  // namespace
}  // namespace path
