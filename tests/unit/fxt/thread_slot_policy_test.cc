// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/detail/thread_slot_policy.h"

#include <gtest/gtest.h>

#include <array>

namespace fxt {
namespace {

using Place = ThreadSlotPolicy::Place;

ThreadKey SlotKey(uint32_t n) { return {.handle = n, .process = 7, .thread = 1000 + n}; }

Place Put(ThreadSlotPolicy& policy, const ThreadKey& key) {
  Place place;
  policy.Put({&key, 1}, {&place, 1});
  return place;
}

std::array<Place, 2> Put(ThreadSlotPolicy& policy, const ThreadKey& first,
                         const ThreadKey& second) {
  std::array<Place, 2> places;
  policy.Put(std::array{first, second}, places);
  return places;
}

void Fill(ThreadSlotPolicy& policy, uint32_t first) {
  for (uint32_t n = 0; n < 255; ++n) {
    const Place place = Put(policy, SlotKey(first + n));
    ASSERT_EQ(place.index, n + 1);
    ASSERT_TRUE(place.fresh);
  }
}

TEST(ThreadSlotPolicyTest, AnIndexIsNewOnce) {
  ThreadSlotPolicy policy;
  EXPECT_EQ(policy.Find(SlotKey(3)), 0);
  EXPECT_TRUE(Put(policy, SlotKey(3)).fresh);
  EXPECT_EQ(policy.Find(SlotKey(3)), 1);
  EXPECT_FALSE(Put(policy, SlotKey(3)).fresh);
  EXPECT_EQ(Put(policy, SlotKey(3)).index, 1);
}

TEST(ThreadSlotPolicyTest, SameThreadTwiceInOneRecord) {
  ThreadSlotPolicy policy;
  const auto places = Put(policy, SlotKey(3), SlotKey(3));
  EXPECT_EQ(places[0].index, 1);
  EXPECT_TRUE(places[0].fresh);
  EXPECT_EQ(places[1].index, 1);
  EXPECT_FALSE(places[1].fresh);
}

TEST(ThreadSlotPolicyTest, FullTableIsInlineUntilEnoughBytesAreLost) {
  ThreadSlotPolicy policy({.opening_weight = 100, .opening_weight_per_thread = 1});
  Fill(policy, 0);
  int inline_references = 0;
  while (!policy.wants_fresh_table()) {
    EXPECT_EQ(Put(policy, SlotKey(1000)).index, 0);
    ++inline_references;
    ASSERT_LT(inline_references, 1000);
  }
  // 100 + 255 bytes, 16 at a time.
  EXPECT_EQ(inline_references, 23);
  EXPECT_NE(policy.OpenTable(), 0);
  EXPECT_FALSE(policy.wants_fresh_table());
  const Place place = Put(policy, SlotKey(1000));
  EXPECT_EQ(place.index, 1);
  EXPECT_TRUE(place.fresh);
}

TEST(ThreadSlotPolicyTest, ReturnsToTheTableThatHoldsTheThreads) {
  ThreadSlotPolicy policy;
  Fill(policy, 0);
  const uint8_t first = policy.current();
  const uint8_t second = policy.OpenTable();
  Put(policy, SlotKey(1000), SlotKey(1001));
  EXPECT_EQ(policy.current(), second);
  const auto places = Put(policy, SlotKey(4), SlotKey(5));
  EXPECT_EQ(policy.current(), first);
  EXPECT_EQ(places[0].index, 5);
  EXPECT_EQ(places[1].index, 6);
  EXPECT_FALSE(places[0].fresh || places[1].fresh);
}

TEST(ThreadSlotPolicyTest, DeadThreadsLowerTheCostOfANewTable) {
  ThreadSlotPolicy policy({.opening_weight = 100, .opening_weight_per_thread = 100});
  Fill(policy, 0);
  for (int i = 0; i < 10; ++i) Put(policy, SlotKey(1000));
  EXPECT_FALSE(policy.wants_fresh_table());
  for (uint32_t n = 0; n < 255; ++n) policy.Forget(n);
  EXPECT_TRUE(policy.wants_fresh_table());
}

TEST(ThreadSlotPolicyTest, ForgottenThreadKeepsItsIndex) {
  ThreadSlotPolicy policy;
  Fill(policy, 0);
  policy.Forget(10);
  policy.Forget(10);
  policy.Forget(77'777);
  EXPECT_EQ(policy.Find(SlotKey(10)), 0);
  const ThreadKey successor{.handle = 10, .process = 7, .thread = 9999};
  EXPECT_EQ(Put(policy, successor).index, 0) << "the table stays full";
}

TEST(ThreadSlotPolicyTest, LeastRecentlyUsedTableIsReplaced) {
  ThreadSlotPolicy policy({.tables = 3});
  Fill(policy, 0);
  const uint8_t second = policy.OpenTable();
  Fill(policy, 1000);
  policy.OpenTable();
  Fill(policy, 2000);
  Put(policy, SlotKey(0), SlotKey(1));  // back to the first
  EXPECT_EQ(policy.OpenTable(), second);
  EXPECT_EQ(policy.Find(SlotKey(1000)), 0);
  const auto places = Put(policy, SlotKey(2000), SlotKey(2001));
  EXPECT_FALSE(places[0].fresh || places[1].fresh) << "the third is still there";
}

TEST(ThreadSlotPolicyTest, ClearDropsEveryTable) {
  ThreadSlotPolicy policy;
  Fill(policy, 0);
  policy.OpenTable();
  Put(policy, SlotKey(1000));
  policy.Clear();
  EXPECT_EQ(policy.current(), 0);
  EXPECT_EQ(policy.Find(SlotKey(0)), 0);
  EXPECT_EQ(policy.Find(SlotKey(1000)), 0);
  EXPECT_TRUE(Put(policy, SlotKey(0)).fresh);
}

TEST(ThreadSlotPolicyTest, NumberOfTablesIsBounded) {
  ThreadSlotPolicy policy({.tables = 1000});
  for (int i = 0; i < 1000; ++i) EXPECT_LT(policy.OpenTable(), ThreadSlotPolicy::kMaxTables);
  ThreadSlotPolicy one({.tables = 0});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.OpenTable(), 0);
}

TEST(ThreadSlotPolicyTest, HeavyRegistrationsStayWithinTheOpenTables) {
  ThreadSlotPolicy policy({.registration_weight = 100'000});
  for (uint32_t n = 0; n < 255; ++n) {
    const auto places = Put(policy, SlotKey(2 * n), SlotKey(2 * n + 1));
    EXPECT_EQ(policy.current(), 0);
    EXPECT_EQ(places[0].fresh, n < 128) << n;
  }
}

TEST(ThreadSlotPolicyTest, HugeHandlesCostNoMemory) {
  ThreadSlotPolicy policy;
  for (uint32_t n = 0; n < 200; ++n) {
    EXPECT_EQ(Put(policy, SlotKey(0xffffffff - n * 0x1000000)).index, 0);
  }
  EXPECT_FALSE(policy.wants_fresh_table());
  EXPECT_GT(policy.stats().inline_references, 100u);
}

}  // namespace
}  // namespace fxt
