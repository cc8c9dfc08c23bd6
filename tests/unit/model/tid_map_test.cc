// SPDX-License-Identifier: BSD-2-Clause
#include "model/tid_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace model {
namespace {

using Map = TidMap<uint32_t, 99>;

TEST(TidMapTest, IsEmptyAtFirst) {
  const Map map;
  for (const uint32_t tid : {0u, 1u, 1023u, 1024u, schema::kTidMask}) EXPECT_EQ(map.Get(tid), 99u);
}

TEST(TidMapTest, HoldsTheLargestTid) {
  Map map;
  map.Set(schema::kTidMask, 5);
  EXPECT_EQ(map.Get(schema::kTidMask), 5u);
  EXPECT_EQ(map.Get(schema::kTidMask - 1), 99u);
  map.Set(schema::kTidMask, 99);
  EXPECT_EQ(map.Get(schema::kTidMask), 99u);
}

// Numbers that no kernel gives out stay within the table.
TEST(TidMapTest, MasksLargerNumbers) {
  Map map;
  map.Set(UINT32_MAX, 5);
  EXPECT_EQ(map.Get(UINT32_MAX), 5u);
  EXPECT_EQ(map.Get(schema::kTidMask), 5u);
}

TEST(TidMapTest, PlaceMatchesGet) {
  Map map;
  map.Set(7, 1);
  const uint32_t* const place = map.Place(7);
  EXPECT_EQ(*place, 1u);
  map.Set(8, 2);
  EXPECT_EQ(*map.Place(8), 2u);
  EXPECT_EQ(*map.Place(7), 1u);
}

TEST(TidMapTest, ClearForgetsAll) {
  Map map;
  for (uint32_t tid = 0; tid < 5000; ++tid) map.Set(tid, tid + 100);
  map.Clear();
  for (uint32_t tid = 0; tid < 5000; ++tid) ASSERT_EQ(map.Get(tid), 99u);
  map.Set(4999, 1);
  EXPECT_EQ(map.Get(4999), 1u);
  EXPECT_EQ(map.Get(4998), 99u);
}

// Values come and go in more places than spare pages are kept for.
TEST(TidMapTest, KeepsNothingOfAnEarlierUse) {
  Map map;
  for (int round = 0; round < 3; ++round) {
    for (uint32_t tid = 5; tid < schema::kTidMask; tid += 50'000) {
      EXPECT_EQ(map.Get(tid + 1), 99u);
      map.Set(tid, 1);
      map.Set(tid + 1, 2);
      map.Set(tid, 99);
      EXPECT_EQ(map.Get(tid + 1), 2u);
    }
    for (uint32_t tid = 5; tid < schema::kTidMask; tid += 50'000) map.Set(tid + 1, 99);
  }
}

TEST(TidMapTest, ItIsAMap) {
  std::mt19937 dice(1);
  Map map;
  std::map<uint32_t, uint32_t> expected;
  for (int i = 0; i < 20'000; ++i) {
    // Near each other, as tids are, and all over.
    const uint32_t tid = (i % 2 == 0 ? dice() % 3000 : dice()) & schema::kTidMask;
    const uint32_t value = dice() % 4 == 0 ? 99 : static_cast<uint32_t>(dice());
    map.Set(tid, value);
    expected[tid] = value;
  }
  for (const auto& [tid, value] : expected) ASSERT_EQ(map.Get(tid), value) << tid;
}

}  // namespace
}  // namespace model
