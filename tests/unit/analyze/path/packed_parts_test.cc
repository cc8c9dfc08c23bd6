// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/packed_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace analyze {
namespace {

TEST(PackedPartsTest, ReturnsThePackedParts) {
  std::mt19937_64 random(1);
  const auto index = [&] {
    return random() % 4 == 0 ? facts::kNoThread
                             : static_cast<uint32_t>(random() >> (33 + random() % 30));
  };
  std::vector<path::Part> parts;
  const uint64_t begin = random() >> 2;
  uint64_t at = begin;
  for (int i = 0; i < 1000; ++i) {
    path::Part& part = parts.emplace_back();
    part.kind = static_cast<path::PartKind>(random() % path::kPartKinds);
    part.begin = at;
    part.length = random() >> (20 + random() % 44);
    at += part.length;
    part.thread = index();
    part.holder = index();
    part.waiter = index();
    if (random() % 2 == 0) {
      part.waited_for = {static_cast<path::Label>(random() % 300),
                         static_cast<path::Label>(random()),
                         static_cast<path::Label>(random() % 2)};
    }
    part.depth = static_cast<uint16_t>(random() % 65);
    part.idle_cpu = random() % 2 == 0;
  }
  const PackedParts packed(begin, parts);
  EXPECT_EQ(packed.size(), parts.size());
  const std::vector<path::Part> unpacked = packed.Unpack();
  ASSERT_EQ(unpacked.size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_TRUE(unpacked[i].Continues(parts[i])) << i;
    EXPECT_EQ(unpacked[i].begin, parts[i].begin);
    EXPECT_EQ(unpacked[i].length, parts[i].length);
  }
}

TEST(PackedPartsTest, TakesLittle) {
  std::vector<path::Part> parts(100);
  uint64_t at = 5;
  for (path::Part& part : parts) {
    part = {.begin = at, .length = 100'000, .thread = 300, .waiter = 20, .depth = 1};
    at += part.length;
  }
  EXPECT_LE(PackedParts(5, parts).bytes(), parts.size() * 10);
  EXPECT_EQ(PackedParts().Unpack().size(), 0U);
}

}  // namespace
}  // namespace analyze
