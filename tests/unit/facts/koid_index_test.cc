// SPDX-License-Identifier: BSD-2-Clause
#include "facts/koid_index.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <unordered_map>

namespace facts {
namespace {

TEST(KoidIndexTest, NumbersInOrderOfAppearance) {
  KoidIndex index(100);
  EXPECT_EQ(index.Find(7), KoidIndex::kNone);
  EXPECT_EQ(index.Add(7), 0u);
  EXPECT_EQ(index.Add(0), 1u);
  EXPECT_EQ(index.Add(UINT64_MAX), 2u);
  EXPECT_EQ(index.Add(7), 0u);
  EXPECT_EQ(index.Find(0), 1u);
  EXPECT_EQ(index.size(), 3u);
}

TEST(KoidIndexTest, KeepsItsEntriesAtTheLimit) {
  KoidIndex index(2);
  EXPECT_EQ(index.Add(5), 0u);
  EXPECT_EQ(index.Add(6), 1u);
  EXPECT_EQ(index.Add(7), KoidIndex::kNone);
  EXPECT_EQ(index.Find(7), KoidIndex::kNone);
  EXPECT_EQ(index.Add(6), 1u);
  EXPECT_EQ(index.size(), 2u);
}

// Koids that have one hash where the factor of the hash is known: each lookup would search all.
TEST(KoidIndexTest, AFileCannotChooseKoidsThatCollide) {
  constexpr uint64_t kKnownFactor = 0x9e3779b97f4a7c15;
  uint64_t inverse = kKnownFactor;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kKnownFactor * inverse;
  ASSERT_EQ(kKnownFactor * inverse, 1u);
  const auto cpu_time_of = [](uint64_t factor) {
    const std::clock_t begin = std::clock();
    KoidIndex index(1'000'000);
    for (uint64_t i = 1; i <= 50'000; ++i) index.Add(i * factor);
    return static_cast<double>(std::clock() - begin) + 1;
  };
  const double usual = cpu_time_of(1);
  // Thousands of times as long if they collide.
  EXPECT_LT(cpu_time_of(inverse), 100 * usual + CLOCKS_PER_SEC / 10.0);
}

TEST(KoidIndexTest, AgreesWithAMap) {
  std::mt19937_64 random(1);
  KoidIndex index(1'000'000);
  std::unordered_map<fxt::Koid, uint32_t> map;
  for (int i = 0; i < 200'000; ++i) {
    // Numbers that differ in their upper bits only, in their lower ones only, and any.
    const uint64_t number = random();
    const fxt::Koid koid = i % 3 == 0 ? number << 44 : i % 3 == 1 ? number >> 50 : number;
    const auto [entry, fresh] = map.try_emplace(koid, static_cast<uint32_t>(map.size()));
    ASSERT_EQ(index.Find(koid), fresh ? KoidIndex::kNone : entry->second);
    ASSERT_EQ(index.Add(koid), entry->second);
  }
  EXPECT_EQ(index.size(), map.size());
}

TEST(KoidIndexTest, SharesABudgetAndGivesItBack) {
  constexpr size_t kMore = 100;
  fxt::TableBudget shared{.limit = 3 * (KoidIndex::kBytesOfKoid + kMore)};
  KoidIndex first(1000, &shared, kMore);
  EXPECT_EQ(first.Add(1), 0u);
  {
    KoidIndex second(1000, &shared, kMore);
    EXPECT_EQ(second.Add(1), 0u);
    EXPECT_EQ(second.Add(2), 1u);
    EXPECT_EQ(first.Add(2), KoidIndex::kNone);
    EXPECT_TRUE(first.is_full());
    EXPECT_FALSE(second.is_full());
  }
  EXPECT_EQ(first.Add(2), 1u);
  EXPECT_EQ(first.Add(3), 2u);
  EXPECT_EQ(first.Add(4), KoidIndex::kNone);
}

}  // namespace
}  // namespace facts
