// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/time_belief.h"

#include <gtest/gtest.h>

#include <vector>

namespace analyze {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kStart = 1'000'000 * kSecond;
constexpr size_t kAll = TimeBelief::kUpcoming;
constexpr uint64_t kYears = uint64_t{1} << 62;

std::vector<uint64_t> Following(uint64_t time, size_t count, uint64_t step = 1000) {
  std::vector<uint64_t> times;
  for (size_t i = 1; i <= count; ++i) times.push_back(time + i * step);
  return times;
}

TEST(TimeBeliefTest, TheFirstHasToBeNearWhatFollows) {
  const TimeBelief belief;
  for (const bool ordered : {true, false}) {
    EXPECT_TRUE(belief.Believes(kStart, Following(kStart, kAll), ordered));
    EXPECT_FALSE(belief.Believes(0, Following(kStart, kAll), ordered));
    EXPECT_FALSE(belief.Believes(kYears, Following(kStart, kAll), ordered));
  }
}

TEST(TimeBeliefTest, NoneIsBeforeTheOneBeforeIt) {
  TimeBelief belief;
  belief.Note(kStart);
  EXPECT_FALSE(belief.Believes(kStart - 1, Following(kStart, kAll), true));
  EXPECT_TRUE(belief.Believes(kStart - 1, Following(kStart, kAll), false));
  EXPECT_TRUE(belief.Believes(kStart, Following(kStart, kAll), true));
}

TEST(TimeBeliefTest, WhatFollowsDecidesWhoIsTooLate) {
  TimeBelief belief;
  belief.Note(kStart);
  auto following = Following(kStart + 5000, kAll);
  EXPECT_FALSE(belief.Believes(kStart + kSecond, following, true));
  // A wrong one among them does not make this one wrong.
  following[3] = 7;
  EXPECT_TRUE(belief.Believes(kStart + 5000, following, true));
  // A long silence is none of its faults.
  EXPECT_TRUE(belief.Believes(kStart + 50 * kSecond, Following(kStart + 50 * kSecond, kAll), true));
}

TEST(TimeBeliefTest, NextToDamageItHasToBeNear) {
  TimeBelief belief;
  belief.Note(kStart);
  belief.Note(kStart + 1000);
  EXPECT_TRUE(belief.Believes(kStart + 2000, {}, true));
  EXPECT_FALSE(belief.Believes(kStart + 300 * kSecond, {}, true));
  // Those that follow may be part of the damage.
  EXPECT_FALSE(belief.Believes(kStart + kSecond, Following(kStart + kSecond, 5), true));
  EXPECT_TRUE(belief.Believes(kStart + kSecond, Following(kStart + kSecond, kAll), true));
}

TEST(TimeBeliefTest, TheEndOfTheInputIsNoDamage) {
  TimeBelief belief;
  belief.Note(kStart);
  belief.Note(kStart + 1000);
  std::vector<uint64_t> end(kAll, ~uint64_t{0});
  EXPECT_TRUE(belief.Believes(kStart + 300 * kSecond, end, true));
  EXPECT_FALSE(belief.Believes(kYears, end, true));
  end[0] = kStart + 400 * kSecond;
  EXPECT_TRUE(belief.Believes(kStart + 300 * kSecond, end, true));
}

TEST(TimeBeliefTest, ALeapIsLongerThanWhatFollowsTakes) {
  TimeBelief belief;
  EXPECT_FALSE(belief.IsLeap(kStart, Following(kStart, kAll))) << "nothing came before it";
  belief.Note(kStart);
  EXPECT_FALSE(belief.IsLeap(kStart + 10'000, Following(kStart + 10'000, kAll)));
  EXPECT_TRUE(belief.IsLeap(kStart + kSecond, Following(kStart + kSecond, kAll)));
  EXPECT_FALSE(belief.IsLeap(kStart + kSecond, Following(kStart + kSecond, kAll, kSecond)));
}

TEST(TimeBeliefTest, EarlierTimesThatFollowAreWorthALookToo) {
  TimeBelief belief;
  belief.Note(kStart);
  // The end of a part of the file that stands in the place of another one.
  std::vector<uint64_t> times = Following(kStart + kSecond, kAll / 2);
  const auto own = Following(kStart, kAll / 2);
  times.insert(times.end(), own.begin(), own.end());
  EXPECT_TRUE(belief.IsLeap(kStart + kSecond, times));
}

TEST(TimeBeliefTest, APartOfTheFileInThePlaceOfAnotherIsNotInOrder) {
  TimeBelief belief;
  belief.Note(kStart);
  std::vector<uint64_t> times = Following(kStart + kSecond, 200);
  EXPECT_TRUE(belief.IsInOrder(kStart + kSecond, times));
  const auto own = Following(kStart, 600);
  times.insert(times.end(), own.begin(), own.end());
  // As many as in a file that goes on behind it.
  const auto rest = Following(kStart + 2 * kSecond, 1200);
  times.insert(times.end(), rest.begin(), rest.end());
  EXPECT_FALSE(belief.IsInOrder(kStart + kSecond, times));
  EXPECT_TRUE(belief.IsInOrder(kStart, times));
}

TEST(TimeBeliefTest, AmongThoseThatCannotBeBelievedNoneIsMuchLater) {
  TimeBelief belief;
  belief.Note(kStart + kSecond);
  const auto copy = Following(kStart, kAll);
  EXPECT_FALSE(belief.Believes(kStart + 500 * kSecond, copy, true));
}

TEST(TimeBeliefTest, WhatCannotBeBelievedItselfShutsNobodyOut) {
  TimeBelief belief;
  belief.Note(kStart + kSecond);
  std::vector<uint64_t> times = Following(kStart, 500);  // a copy of an earlier part
  EXPECT_TRUE(belief.IsInOrder(kStart + kSecond + 1000, times));
}

TEST(TimeBeliefTest, ASliceDoesNotEndInAnotherYear) {
  TimeBelief belief;
  belief.Note(kStart);
  const auto following = Following(kStart, kAll);
  EXPECT_TRUE(belief.BelievesEnd(kStart, kStart + 60 * kSecond, following));
  EXPECT_FALSE(belief.BelievesEnd(kStart, kStart - 1, following));
  EXPECT_FALSE(belief.BelievesEnd(kStart, ~uint64_t{0}, following));
}

}  // namespace
}  // namespace analyze
