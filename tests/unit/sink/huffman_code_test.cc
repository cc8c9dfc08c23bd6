// SPDX-License-Identifier: BSD-2-Clause
#include "sink/huffman_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

namespace sink {
namespace {

// Returns the size that Huffman's algorithm reaches without a limit.
uint64_t BestBits(const std::vector<uint32_t>& counts) {
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> trees;
  for (const uint32_t count : counts) {
    if (count != 0) trees.push(count);
  }
  if (trees.size() == 1) return trees.top();
  uint64_t bits = 0;
  while (trees.size() > 1) {
    const uint64_t one = trees.top();
    trees.pop();
    const uint64_t both = one + trees.top();
    trees.pop();
    trees.push(both);
    bits += both;
  }
  return bits;
}

uint64_t Bits(const std::vector<uint32_t>& counts, const std::vector<uint8_t>& lengths) {
  return std::inner_product(counts.begin(), counts.end(), lengths.begin(), uint64_t{0});
}

// Returns 2^15 for a complete code.
uint32_t Taken(const std::vector<uint8_t>& lengths) {
  uint32_t taken = 0;
  for (const uint8_t length : lengths) taken += length == 0 ? 0 : 1u << (kMaxCodeBits - length);
  return taken;
}

std::vector<uint32_t> RandomCounts(std::mt19937& random, size_t symbols) {
  std::vector<uint32_t> counts(symbols);
  const uint32_t steepness = random() % 20;
  for (auto& count : counts)
    count = random() % 3 == 0 ? 0 : random() >> (12 + random() % (steepness + 1));
  counts[random() % symbols] = 1;
  return counts;
}

TEST(HuffmanCodeTest, IsOptimalIfTheLimitDoesNotApply) {
  std::mt19937 random(1);
  int within = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto counts = RandomCounts(random, 1 + random() % kMaxCodeSymbols);
    std::vector<uint8_t> lengths(counts.size());
    MakeCodeLengths(counts, kMaxCodeBits, lengths);
    for (size_t i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i] == 0, lengths[i] == 0);
    if (std::ranges::max(lengths) == kMaxCodeBits) continue;
    ++within;
    ASSERT_EQ(Bits(counts, lengths), BestBits(counts)) << round;
  }
  EXPECT_GT(within, 300);
}

TEST(HuffmanCodeTest, KeepsTheLimitAndIsComplete) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const bool few = round % 2 == 0;
    const int limit = few ? 7 : 9 + static_cast<int>(random() % 6);
    const auto counts = RandomCounts(random, few ? 19 : 288);
    std::vector<uint8_t> lengths(counts.size());
    MakeCodeLengths(counts, limit, lengths);
    ASSERT_LE(std::ranges::max(lengths), limit);
    const auto used = static_cast<size_t>(
        std::ranges::count_if(counts, [](uint32_t count) { return count != 0; }));
    ASSERT_EQ(Taken(lengths), 1u << (used == 1 ? kMaxCodeBits - 1 : kMaxCodeBits)) << round;
  }
}

// Fibonacci numbers as counts make the longest codes.
TEST(HuffmanCodeTest, IsNearOptimalForADeepTree) {
  std::vector<uint32_t> counts = {1, 1};
  while (counts.size() < 32)
    counts.push_back(counts[counts.size() - 1] + counts[counts.size() - 2]);
  std::vector<uint8_t> lengths(counts.size());
  MakeCodeLengths(counts, 14, lengths);
  EXPECT_EQ(std::ranges::max(lengths), 14);
  EXPECT_EQ(Taken(lengths), 1u << kMaxCodeBits);
  EXPECT_LT(static_cast<double>(Bits(counts, lengths)),
            1.01 * static_cast<double>(BestBits(counts)));
}

TEST(HuffmanCodeTest, HandlesNoneAndOneSymbol) {
  std::array<uint8_t, 3> lengths = {9, 9, 9};
  MakeCodeLengths(std::array<uint32_t, 3>{}, 15, lengths);
  EXPECT_EQ(lengths, (std::array<uint8_t, 3>{}));
  MakeCodeLengths(std::array<uint32_t, 3>{0, 70'000, 0}, 15, lengths);
  EXPECT_EQ(lengths, (std::array<uint8_t, 3>{0, 1, 0}));
}

// The example of RFC 1951, section 3.2.2, first bits lowest.
TEST(HuffmanCodeTest, MakesTheCodesOfTheStandard) {
  const std::array<uint8_t, 8> lengths = {3, 3, 3, 3, 3, 2, 4, 4};
  std::array<uint16_t, 8> codes;
  MakeCodes(lengths, codes);
  EXPECT_EQ(codes,
            (std::array<uint16_t, 8>{0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111}));
}

}  // namespace
}  // namespace sink
