// SPDX-License-Identifier: BSD-2-Clause
#include "util/content_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace util {
namespace {

ContentHash::Value HashOf(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.Add(bytes);
  return hash.Finish();
}

TEST(ContentHashTest, PiecesDoNotMatter) {
  std::vector<std::byte> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  const std::span<const std::byte> all(bytes);
  for (const size_t piece : {1UL, 3UL, 31UL, 32UL, 33UL, 500UL}) {
    ContentHash hash;
    for (size_t at = 0; at < all.size(); at += piece) {
      hash.Add(all.subspan(at, std::min(piece, all.size() - at)));
    }
    EXPECT_EQ(hash.Finish(), HashOf(all)) << piece;
  }
}

TEST(ContentHashTest, EachBitAndEachLengthMatters) {
  std::vector<std::byte> bytes(96);
  std::set<std::pair<uint64_t, uint64_t>> seen;
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const auto value = HashOf(std::span(bytes).first(length));
    EXPECT_TRUE(seen.emplace(value.low, value.high).second);
  }
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto changed = bytes;
    changed[bit / 8] = static_cast<std::byte>(1U << bit % 8);
    const auto value = HashOf(changed);
    EXPECT_TRUE(seen.emplace(value.low, value.high).second) << bit;
  }
}

}  // namespace
}  // namespace util
