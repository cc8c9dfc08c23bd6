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

TEST(TimestampValidatorTest, RejectsAFirstTimeFarFromTheFollowing) {
  const TimestampValidator validator;
  for (const bool ordered : {true, false}) {
    EXPECT_TRUE(validator.IsPlausible(kStart, Following(kStart, kAll), ordered));
    EXPECT_FALSE(validator.IsPlausible(0, Following(kStart, kAll), ordered));
    EXPECT_FALSE(validator.IsPlausible(kYears, Following(kStart, kAll), ordered));
  }
}

TEST(TimestampValidatorTest, RejectsTimesBeforeTheLast) {
  TimestampValidator validator;
  validator.Note(kStart);
  EXPECT_FALSE(validator.IsPlausible(kStart - 1, Following(kStart, kAll), true));
  EXPECT_TRUE(validator.IsPlausible(kStart - 1, Following(kStart, kAll), false));
  EXPECT_TRUE(validator.IsPlausible(kStart, Following(kStart, kAll), true));
}

TEST(TimestampValidatorTest, RejectsTimesAfterMostOfTheFollowing) {
  TimestampValidator validator;
  validator.Note(kStart);
  auto following = Following(kStart + 5000, kAll);
  EXPECT_FALSE(validator.IsPlausible(kStart + kSecond, following, true));
  // One wrong time among them changes nothing.
  following[3] = 7;
  EXPECT_TRUE(validator.IsPlausible(kStart + 5000, following, true));
  // A long pause is valid.
  EXPECT_TRUE(
      validator.IsPlausible(kStart + 50 * kSecond, Following(kStart + 50 * kSecond, kAll), true));
}

TEST(TimestampValidatorTest, RequiresNearbyTimesNextToDamage) {
  TimestampValidator validator;
  validator.Note(kStart);
  validator.Note(kStart + 1000);
  EXPECT_TRUE(validator.IsPlausible(kStart + 2000, {}, true));
  EXPECT_FALSE(validator.IsPlausible(kStart + 300 * kSecond, {}, true));
  // The following ones may be part of the damage.
  EXPECT_FALSE(validator.IsPlausible(kStart + kSecond, Following(kStart + kSecond, 5), true));
  EXPECT_TRUE(validator.IsPlausible(kStart + kSecond, Following(kStart + kSecond, kAll), true));
}

TEST(TimestampValidatorTest, AcceptsTheLastTimesOfTheInput) {
  TimestampValidator validator;
  validator.Note(kStart);
  validator.Note(kStart + 1000);
  std::vector<uint64_t> end(kAll, ~uint64_t{0});
  EXPECT_TRUE(validator.IsPlausible(kStart + 300 * kSecond, end, true));
  EXPECT_FALSE(validator.IsPlausible(kYears, end, true));
  end[0] = kStart + 400 * kSecond;
  EXPECT_TRUE(validator.IsPlausible(kStart + 300 * kSecond, end, true));
}

TEST(TimestampValidatorTest, ReportsALeapLongerThanTheFollowingSteps) {
  TimestampValidator validator;
  EXPECT_FALSE(validator.IsLeap(kStart, Following(kStart, kAll))) << "nothing came before it";
  validator.Note(kStart);
  EXPECT_FALSE(validator.IsLeap(kStart + 10'000, Following(kStart + 10'000, kAll)));
  EXPECT_TRUE(validator.IsLeap(kStart + kSecond, Following(kStart + kSecond, kAll)));
  EXPECT_FALSE(validator.IsLeap(kStart + kSecond, Following(kStart + kSecond, kAll, kSecond)));
}

TEST(TimestampValidatorTest, ReportsALeapBeforeEarlierTimes) {
  TimestampValidator validator;
  validator.Note(kStart);
  // The end of a part of the file at the place of another part.
  std::vector<uint64_t> times = Following(kStart + kSecond, kAll / 2);
  const auto own = Following(kStart, kAll / 2);
  times.insert(times.end(), own.begin(), own.end());
  EXPECT_TRUE(validator.IsLeap(kStart + kSecond, times));
}

TEST(TimestampValidatorTest, RejectsAPartOfTheFileAtAnotherPlace) {
  TimestampValidator validator;
  validator.Note(kStart);
  std::vector<uint64_t> times = Following(kStart + kSecond, 200);
  EXPECT_TRUE(validator.IsInOrder(kStart + kSecond, times));
  const auto own = Following(kStart, 600);
  times.insert(times.end(), own.begin(), own.end());
  // As many as follow in a file of that size.
  const auto rest = Following(kStart + 2 * kSecond, 1200);
  times.insert(times.end(), rest.begin(), rest.end());
  EXPECT_FALSE(validator.IsInOrder(kStart + kSecond, times));
  EXPECT_TRUE(validator.IsInOrder(kStart, times));
}

TEST(TimestampValidatorTest, IgnoresInvalidTimesWhenComparing) {
  TimestampValidator validator;
  validator.Note(kStart + kSecond);
  const auto copy = Following(kStart, kAll);
  EXPECT_FALSE(validator.IsPlausible(kStart + 500 * kSecond, copy, true));
}

TEST(TimestampValidatorTest, CountsNoRejectionsByInvalidTimes) {
  TimestampValidator validator;
  validator.Note(kStart + kSecond);
  std::vector<uint64_t> times = Following(kStart, 500);  // a copy of an earlier part
  EXPECT_TRUE(validator.IsInOrder(kStart + kSecond + 1000, times));
}

TEST(TimestampValidatorTest, RejectsDurationsOfYears) {
  TimestampValidator validator;
  validator.Note(kStart);
  const auto following = Following(kStart, kAll);
  EXPECT_TRUE(validator.IsPlausibleEnd(kStart, kStart + 60 * kSecond, following));
  EXPECT_FALSE(validator.IsPlausibleEnd(kStart, kStart - 1, following));
  EXPECT_FALSE(validator.IsPlausibleEnd(kStart, ~uint64_t{0}, following));
}

}  // namespace
}  // namespace analyze
