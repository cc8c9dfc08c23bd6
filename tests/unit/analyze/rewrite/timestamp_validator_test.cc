// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/timestamp_validator.h"

#include <gtest/gtest.h>

#include <vector>

namespace analyze {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kStart = 1'000'000 * kSecond;
constexpr size_t kAll = TimestampValidator::kUpcoming;
constexpr uint64_t kYears = uint64_t{1} << 62;

std::vector<uint64_t> Following(uint64_t time, size_t count, uint64_t step = 1000) {
  std::vector<uint64_t> times;
  for (size_t i = 1; i <= count; ++i) times.push_back(time + i * step);
  return times;
}

TEST(TimestampValidatorTest, TheFirstHasToBeNearWhatFollows) {
  const TimestampValidator belief;
  for (const bool ordered : {true, false}) {
    EXPECT_TRUE(belief.IsPlausible(kStart, Following(kStart, kAll), ordered));
    EXPECT_FALSE(belief.IsPlausible(0, Following(kStart, kAll), ordered));
    EXPECT_FALSE(belief.IsPlausible(kYears, Following(kStart, kAll), ordered));
  }
}

TEST(TimestampValidatorTest, NoneIsBeforeTheOneBeforeIt) {
  TimestampValidator belief;
  belief.Note(kStart);
  EXPECT_FALSE(belief.IsPlausible(kStart - 1, Following(kStart, kAll), true));
  EXPECT_TRUE(belief.IsPlausible(kStart - 1, Following(kStart, kAll), false));
  EXPECT_TRUE(belief.IsPlausible(kStart, Following(kStart, kAll), true));
}

TEST(TimestampValidatorTest, WhatFollowsDecidesWhoIsTooLate) {
  TimestampValidator belief;
  belief.Note(kStart);
  auto following = Following(kStart + 5000, kAll);
  EXPECT_FALSE(belief.IsPlausible(kStart + kSecond, following, true));
  // A wrong one among them does not make this one wrong.
  following[3] = 7;
  EXPECT_TRUE(belief.IsPlausible(kStart + 5000, following, true));
  // A long silence is none of its faults.
  EXPECT_TRUE(
      belief.IsPlausible(kStart + 50 * kSecond, Following(kStart + 50 * kSecond, kAll), true));
}

TEST(TimestampValidatorTest, NextToDamageItHasToBeNear) {
  TimestampValidator belief;
  belief.Note(kStart);
  belief.Note(kStart + 1000);
  EXPECT_TRUE(belief.IsPlausible(kStart + 2000, {}, true));
  EXPECT_FALSE(belief.IsPlausible(kStart + 300 * kSecond, {}, true));
  // Those that follow may be part of the damage.
  EXPECT_FALSE(belief.IsPlausible(kStart + kSecond, Following(kStart + kSecond, 5), true));
  EXPECT_TRUE(belief.IsPlausible(kStart + kSecond, Following(kStart + kSecond, kAll), true));
}

TEST(TimestampValidatorTest, TheEndOfTheInputIsNoDamage) {
  TimestampValidator belief;
  belief.Note(kStart);
  belief.Note(kStart + 1000);
  std::vector<uint64_t> end(kAll, ~uint64_t{0});
  EXPECT_TRUE(belief.IsPlausible(kStart + 300 * kSecond, end, true));
  EXPECT_FALSE(belief.IsPlausible(kYears, end, true));
  end[0] = kStart + 400 * kSecond;
  EXPECT_TRUE(belief.IsPlausible(kStart + 300 * kSecond, end, true));
}

TEST(TimestampValidatorTest, ALeapIsLongerThanWhatFollowsTakes) {
  TimestampValidator belief;
  EXPECT_FALSE(belief.IsLeap(kStart, Following(kStart, kAll))) << "nothing came before it";
  belief.Note(kStart);
  EXPECT_FALSE(belief.IsLeap(kStart + 10'000, Following(kStart + 10'000, kAll)));
  EXPECT_TRUE(belief.IsLeap(kStart + kSecond, Following(kStart + kSecond, kAll)));
  EXPECT_FALSE(belief.IsLeap(kStart + kSecond, Following(kStart + kSecond, kAll, kSecond)));
}

TEST(TimestampValidatorTest, EarlierTimesThatFollowAreWorthALookToo) {
  TimestampValidator belief;
  belief.Note(kStart);
  // The end of a part of the file that stands in the place of another one.
  std::vector<uint64_t> times = Following(kStart + kSecond, kAll / 2);
  const auto own = Following(kStart, kAll / 2);
  times.insert(times.end(), own.begin(), own.end());
  EXPECT_TRUE(belief.IsLeap(kStart + kSecond, times));
}

TEST(TimestampValidatorTest, APartOfTheFileInThePlaceOfAnotherIsNotInOrder) {
  TimestampValidator belief;
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

TEST(TimestampValidatorTest, AmongThoseThatCannotBeBelievedNoneIsMuchLater) {
  TimestampValidator belief;
  belief.Note(kStart + kSecond);
  const auto copy = Following(kStart, kAll);
  EXPECT_FALSE(belief.IsPlausible(kStart + 500 * kSecond, copy, true));
}

TEST(TimestampValidatorTest, WhatCannotBeBelievedItselfShutsNobodyOut) {
  TimestampValidator belief;
  belief.Note(kStart + kSecond);
  std::vector<uint64_t> times = Following(kStart, 500);  // a copy of an earlier part
  EXPECT_TRUE(belief.IsInOrder(kStart + kSecond + 1000, times));
}

TEST(TimestampValidatorTest, ASliceDoesNotEndInAnotherYear) {
  TimestampValidator belief;
  belief.Note(kStart);
  const auto following = Following(kStart, kAll);
  EXPECT_TRUE(belief.IsPlausibleEnd(kStart, kStart + 60 * kSecond, following));
  EXPECT_FALSE(belief.IsPlausibleEnd(kStart, kStart - 1, following));
  EXPECT_FALSE(belief.IsPlausibleEnd(kStart, ~uint64_t{0}, following));
}

}  // namespace
}  // namespace analyze
