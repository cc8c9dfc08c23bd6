// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/timestamp_validator.h"

#include <gtest/gtest.h>

#include <vector>

namespace analyze {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kFirstTime = 1'000'000 * kSecond;
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
    EXPECT_TRUE(validator.IsPlausible(kFirstTime, Following(kFirstTime, kAll), ordered));
    EXPECT_FALSE(validator.IsPlausible(0, Following(kFirstTime, kAll), ordered));
    EXPECT_FALSE(validator.IsPlausible(kYears, Following(kFirstTime, kAll), ordered));
  }
}

TEST(TimestampValidatorTest, RejectsTimesBeforeTheLast) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  EXPECT_FALSE(validator.IsPlausible(kFirstTime - 1, Following(kFirstTime, kAll), true));
  EXPECT_TRUE(validator.IsPlausible(kFirstTime - 1, Following(kFirstTime, kAll), false));
  EXPECT_TRUE(validator.IsPlausible(kFirstTime, Following(kFirstTime, kAll), true));
}

TEST(TimestampValidatorTest, RejectsTimesAfterMostOfTheFollowing) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  auto following = Following(kFirstTime + 5000, kAll);
  EXPECT_FALSE(validator.IsPlausible(kFirstTime + kSecond, following, true));
  // One wrong time among them changes nothing.
  following[3] = 7;
  EXPECT_TRUE(validator.IsPlausible(kFirstTime + 5000, following, true));
  // A long pause is valid.
  EXPECT_TRUE(validator.IsPlausible(kFirstTime + 50 * kSecond,
                                    Following(kFirstTime + 50 * kSecond, kAll), true));
}

TEST(TimestampValidatorTest, RequiresNearbyTimesNextToDamage) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  validator.Note(kFirstTime + 1000);
  EXPECT_TRUE(validator.IsPlausible(kFirstTime + 2000, {}, true));
  EXPECT_FALSE(validator.IsPlausible(kFirstTime + 300 * kSecond, {}, true));
  // The following ones may be part of the damage.
  EXPECT_FALSE(
      validator.IsPlausible(kFirstTime + kSecond, Following(kFirstTime + kSecond, 5), true));
  EXPECT_TRUE(
      validator.IsPlausible(kFirstTime + kSecond, Following(kFirstTime + kSecond, kAll), true));
}

TEST(TimestampValidatorTest, AcceptsTheLastTimesOfTheInput) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  validator.Note(kFirstTime + 1000);
  std::vector<uint64_t> end(kAll, ~uint64_t{0});
  EXPECT_TRUE(validator.IsPlausible(kFirstTime + 300 * kSecond, end, true));
  EXPECT_FALSE(validator.IsPlausible(kYears, end, true));
  end[0] = kFirstTime + 400 * kSecond;
  EXPECT_TRUE(validator.IsPlausible(kFirstTime + 300 * kSecond, end, true));
}

TEST(TimestampValidatorTest, ReportsALeapLongerThanTheFollowingSteps) {
  TimestampValidator validator;
  EXPECT_FALSE(validator.IsLeap(kFirstTime, Following(kFirstTime, kAll)))
      << "nothing came before it";
  validator.Note(kFirstTime);
  EXPECT_FALSE(validator.IsLeap(kFirstTime + 10'000, Following(kFirstTime + 10'000, kAll)));
  EXPECT_TRUE(validator.IsLeap(kFirstTime + kSecond, Following(kFirstTime + kSecond, kAll)));
  EXPECT_FALSE(
      validator.IsLeap(kFirstTime + kSecond, Following(kFirstTime + kSecond, kAll, kSecond)));
}

TEST(TimestampValidatorTest, ReportsALeapBeforeEarlierTimes) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  // The end of a part of the file at the place of another part.
  std::vector<uint64_t> times = Following(kFirstTime + kSecond, kAll / 2);
  const auto own = Following(kFirstTime, kAll / 2);
  times.insert(times.end(), own.begin(), own.end());
  EXPECT_TRUE(validator.IsLeap(kFirstTime + kSecond, times));
}

TEST(TimestampValidatorTest, RejectsAPartOfTheFileAtAnotherPlace) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  std::vector<uint64_t> times = Following(kFirstTime + kSecond, 200);
  EXPECT_TRUE(validator.IsInOrder(kFirstTime + kSecond, times));
  const auto own = Following(kFirstTime, 600);
  times.insert(times.end(), own.begin(), own.end());
  // As many as follow in a file of that size.
  const auto rest = Following(kFirstTime + 2 * kSecond, 1200);
  times.insert(times.end(), rest.begin(), rest.end());
  EXPECT_FALSE(validator.IsInOrder(kFirstTime + kSecond, times));
  EXPECT_TRUE(validator.IsInOrder(kFirstTime, times));
}

TEST(TimestampValidatorTest, IgnoresInvalidTimesWhenComparing) {
  TimestampValidator validator;
  validator.Note(kFirstTime + kSecond);
  const auto copy = Following(kFirstTime, kAll);
  EXPECT_FALSE(validator.IsPlausible(kFirstTime + 500 * kSecond, copy, true));
}

TEST(TimestampValidatorTest, CountsNoRejectionsByInvalidTimes) {
  TimestampValidator validator;
  validator.Note(kFirstTime + kSecond);
  std::vector<uint64_t> times = Following(kFirstTime, 500);  // a copy of an earlier part
  EXPECT_TRUE(validator.IsInOrder(kFirstTime + kSecond + 1000, times));
}

TEST(TimestampValidatorTest, RejectsDurationsOfYears) {
  TimestampValidator validator;
  validator.Note(kFirstTime);
  const auto following = Following(kFirstTime, kAll);
  EXPECT_TRUE(validator.IsPlausibleEnd(kFirstTime, kFirstTime + 60 * kSecond, following));
  EXPECT_FALSE(validator.IsPlausibleEnd(kFirstTime, kFirstTime - 1, following));
  EXPECT_FALSE(validator.IsPlausibleEnd(kFirstTime, ~uint64_t{0}, following));
}

}  // namespace
}  // namespace analyze
