// SPDX-License-Identifier: BSD-2-Clause
#include "sink/memory_sink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/sink/sink_test_support.h"

namespace sink {
namespace {

TEST(MemorySinkTest, KeepsAllRecords) {
  MemorySink sink;
  const auto first = testing::Records(1000, 1);
  const auto second = testing::Records(500, 2);
  EXPECT_TRUE(sink.Write(first));
  EXPECT_TRUE(sink.Write(second));
  EXPECT_TRUE(sink.Flush());
  ASSERT_TRUE(sink.Close().ok());
  ASSERT_EQ(sink.bytes_accepted(), first.size() + second.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), sink.bytes().begin()));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), sink.bytes().begin() + first.size()));
}

TEST(MemorySinkTest, FailsForGoodWhenFull) {
  MemorySink sink(100);
  const std::vector<std::byte> sixty(60);
  const std::vector<std::byte> eight(8);
  EXPECT_TRUE(sink.Write(sixty));
  EXPECT_FALSE(sink.Write(sixty));
  EXPECT_FALSE(sink.Write(eight));
  EXPECT_FALSE(sink.Flush());
  EXPECT_EQ(sink.bytes().size(), 60u);
  EXPECT_FALSE(sink.Close().ok());
}

}  // namespace
}  // namespace sink
