// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/text_map.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "unit/fxt/support/longest_bucket.h"

namespace fxt {
namespace {

constexpr uint64_t kTexts = 4'000;

// Steps of std::hash in libstdc++, which is MurmurHash64A with a known start.
constexpr uint64_t kFactor = (uint64_t{0xc6a4a793} << 32) + 0x5bd1e995;
uint64_t ShiftAndMix(uint64_t value) { return value ^ value >> 47; }
uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

// A text of 16 bytes whose second half undoes what the first one does to that hash.
std::string CollidingText(uint64_t first) {
  const uint64_t data = ShiftAndMix(first * kFactor) * kFactor;
  const uint64_t after_first = ((0xc70f6907 ^ 16 * kFactor) ^ data) * kFactor;
  const uint64_t inverse = Inverse(kFactor);
  const uint64_t second = ShiftAndMix(after_first * inverse) * inverse;
  std::string text(16, '\0');
  std::memcpy(text.data(), &first, 8);
  std::memcpy(text.data() + 8, &second, 8);
  return text;
}

template <typename Map>
Map CollidingTexts() {
  Map map;
  for (uint64_t i = 0; i < kTexts; ++i) map.emplace(CollidingText(i), i);
  return map;
}

TEST(TextMapTest, FindsWhatWasAdded) {
  TextMap<int> map;
  std::string text;
  for (int i = 0; i < 100; ++i) {
    map.emplace(text, i);
    text += static_cast<char>(i);
  }
  EXPECT_EQ(map.size(), 100u);
  text.clear();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(map.find(std::string_view(text))->second, i);
    text += static_cast<char>(i);
  }
  EXPECT_EQ(TextSet({"a", "b"}).count(std::string_view("b")), 1u);
  EXPECT_EQ(TextViewMap<int>({{"a", 1}}).at("a"), 1);
}

TEST(TextMapTest, TextsCannotBeChosenThatCollide) {
  const std::hash<std::string_view> standard;
  if (standard(CollidingText(1)) != standard(CollidingText(2))) {
    GTEST_SKIP() << "another standard library";
  }
  using Standard = std::unordered_map<std::string, uint64_t>;
  EXPECT_EQ(testing::LongestBucket(CollidingTexts<Standard>()), kTexts);
  EXPECT_LT(testing::LongestBucket(CollidingTexts<TextMap<uint64_t>>()), 40u);
}

TEST(TextMapTest, ChangesOfUpperBitsDoNotCancel) {
  // With a product of 64 bits, each of these pairs of halves would have one hash.
  TextMap<int> map;
  for (int i = 0; i < 1 << 12; ++i) {
    std::string text(12 * 16, 'a');
    for (size_t bit = 0; bit < 12; ++bit) {
      if ((i >> bit & 1) == 0) continue;
      text[bit * 16 + 7] = static_cast<char>(text[bit * 16 + 7] ^ 0x80);
      text[bit * 16 + 15] = static_cast<char>(text[bit * 16 + 15] ^ 0x80);
    }
    map.emplace(text, i);
  }
  EXPECT_LT(testing::LongestBucket(map), 40u);
}

}  // namespace
}  // namespace fxt
