// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/blame_ledger.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace measure {
namespace {

TEST(BlameLedgerTest, SumsAreThoseOfAMap) {
  std::mt19937_64 random(1);
  BlameLedger ledger;
  using Key = std::tuple<uint32_t, Attribution, uint32_t>;
  std::map<Key, Blame> expected;
  for (int i = 0; i < 50'000; ++i) {
    const auto group = static_cast<uint32_t>(random() % 100);
    const auto why = static_cast<Attribution>(random() % kAttributions);
    const uint32_t other = random() % 20 == 0 ? kInterrupt : static_cast<uint32_t>(random() % 100);
    ledger.Add(group, why, other, {.count = 1, .ns = i + uint64_t{1}});
    Blame& sum = expected[{group, why, other}];
    ++sum.count;
    sum.ns += i + uint64_t{1};
  }
  std::map<Key, Blame> found;
  ledger.ForEach([&](uint32_t group, Attribution why, uint32_t other, const Blame& blame) {
    EXPECT_TRUE(found.emplace(Key{group, why, other}, blame).second);
  });
  EXPECT_EQ(found, expected);
}

TEST(BlameLedgerTest, TimeInDIsKeptBesideTheTotal) {
  BlameLedger ledger;
  ledger.Add(1, Attribution::kWokenBy, 2, {.count = 1, .ns = 10});
  ledger.Add(1, Attribution::kWokenBy, 2, {.count = 1, .ns = 5, .blocked_ns = 5, .blocked = 1});
  ledger.Add(1, Attribution::kWokenBy, kInterrupt, {.count = 1, .ns = 7});
  std::map<uint32_t, Blame> found;
  ledger.ForEach([&](uint32_t group, Attribution why, uint32_t other, const Blame& blame) {
    EXPECT_EQ(group, 1u);
    EXPECT_EQ(why, Attribution::kWokenBy);
    found[other] = blame;
  });
  EXPECT_EQ(found[2], (Blame{.count = 2, .ns = 15, .blocked_ns = 5, .blocked = 1}));
  EXPECT_EQ(found[kInterrupt], (Blame{.count = 1, .ns = 7}));
}

TEST(BlameLedgerTest, BeyondTheLimitNobodyIsBlamed) {
  BlameLedger ledger;
  for (uint32_t i = 0; i < BlameLedger::kMaxPairs + 100; ++i) {
    ledger.Add(7, Attribution::kWokenBy, i, {.count = 1, .ns = 1, .blocked_ns = 1, .blocked = 1});
  }
  uint64_t unknown = 0;
  uint64_t all = 0;
  uint64_t blocked = 0;
  ledger.ForEach([&](uint32_t, Attribution, uint32_t other, const Blame& blame) {
    all += blame.count;
    blocked += blame.blocked;
    if (other == kNoGroup) unknown += blame.count;
  });
  EXPECT_EQ(all, BlameLedger::kMaxPairs + 100);
  EXPECT_EQ(blocked, all);
  EXPECT_EQ(unknown, 100u);
}

}  // namespace
}  // namespace measure
