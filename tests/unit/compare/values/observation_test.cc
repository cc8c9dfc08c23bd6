// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "schema/wait_object.h"

namespace comparison {
namespace {

using facts::WaitsFor;
using measure::Capture;
using measure::Duration;
using measure::Group;

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kLengthMs = 2000;

// A group in a capture of two seconds.
class ObservationTest : public ::testing::Test {
 protected:
  ObservationTest() {
    group_.name = {"app", "app", true};
    group_.threads = 1;
    group_.share_ns[static_cast<size_t>(facts::Share::kSleeping)] = kLengthMs * kMillisecond;
  }
  void AddSleeps(Duration what, uint64_t count, uint64_t ms) {
    for (uint64_t i = 0; i < count; ++i) group_.of(what).whole.Add(ms * kMillisecond);
    group_.of(what).whole_ns += count * ms * kMillisecond;
    group_.of(what).longest_ns = std::max(group_.of(what).longest_ns, ms * kMillisecond);
  }
  void AddEnded(uint32_t by, uint64_t count, uint64_t ms) {
    auto& blame = group_.blames[static_cast<size_t>(measure::Attribution::kWokenBy)][by];
    blame.count += count;
    blame.ns += count * ms * kMillisecond;
  }
  void AddObject(std::string_view kind, uint64_t count, uint64_t ms) {
    measure::WaitedObject object{.waits_for = WaitsFor::kTimer, .kind = std::string(kind)};
    group_.waited_objects[object] = {.count = count, .ns = count * ms * kMillisecond};
  }
  std::optional<Observation> Of(Statistic statistic) const {
    Capture capture;
    capture.end = kLengthMs * kMillisecond;
    capture.groups = {group_};
    const std::vector<const Capture*> captures = {&capture};
    const Groups groups(captures, 1);
    return Observe(groups, groups.all()[0], statistic, {}, NormalizationOf(captures))[0];
  }

  Group group_;
};

TEST_F(ObservationTest, AWaitInDCostsTheWaitForACpuBehindItAsWell) {
  group_.share_ns[static_cast<size_t>(facts::Share::kBlocked)] = 300 * kMillisecond;
  group_.after_blocked_ns = 100 * kMillisecond;
  for (const Statistic statistic : {Statistic::kBlockedCount, Statistic::kBlockedRate}) {
    const auto detail = std::get<BlockedDetail>(Of(statistic)->detail);
    EXPECT_NEAR(detail.blocked_ms, 150, 1e-9);
    EXPECT_NEAR(detail.after_ms, 50, 1e-9);
  }
  // The test is of the time in D alone, which varies less.
  EXPECT_NEAR(Of(Statistic::kBlockedRate)->value, 150, 1e-9);
}

TEST_F(ObservationTest, OneWaitForTheEndOfTheRunDoesNotRuleTheMeanOfAnswers) {
  AddSleeps(Duration::kForAnswer, 100, 4);
  EXPECT_NEAR(Of(Statistic::kAnswerMean)->value, 4000, 1);
  AddSleeps(Duration::kForAnswer, 1, 1900);
  const auto with = Of(Statistic::kAnswerMean);
  EXPECT_NEAR(with->value, 4000, 400);
  EXPECT_LT(with->sampling_variance, 0.02);
}

TEST_F(ObservationTest, TheMedianOfAnswersIsSureWhereItIsAmongAnswersOfOneKind) {
  AddSleeps(Duration::kForAnswer, 900, 4);
  AddSleeps(Duration::kForAnswer, 100, 40);
  const auto surely = Of(Statistic::kAnswerP50);
  EXPECT_NEAR(surely->value, 4000, 100);
  EXPECT_LT(surely->sampling_variance, 0.001);
  // A few answers more of one kind, and the median is one of those.
  AddSleeps(Duration::kForAnswer, 780, 40);
  EXPECT_GT(Of(Statistic::kAnswerP50)->sampling_variance, 0.3);
}

TEST_F(ObservationTest, PausesAreThoseOfGroupsWithWorkOfOthers) {
  AddObject(schema::wait_kind::kSleep, 50, 10);
  EXPECT_FALSE(Of(Statistic::kPauseRate));
  AddSleeps(Duration::kForWork, 100, 1);
  EXPECT_NEAR(Of(Statistic::kPauseRate)->value, 250, 1e-9);
  EXPECT_NEAR(std::get<PauseDetail>(Of(Statistic::kPauseRate)->detail).requests, 50, 1e-9);
}

TEST_F(ObservationTest, AFutexThatTimedOutWasAWaitForAThread) {
  AddEnded(measure::kInterrupt, 100, 10);
  AddEnded(7, 20, 5);
  const auto before = Of(Statistic::kSleepForThreads);
  EXPECT_NEAR(before->value, 50, 1e-9);
  EXPECT_NEAR(std::get<ThreadSleepDetail>(before->detail).timer_ms, 500, 1e-9);
  AddObject(schema::wait_kind::kFutex, 40, 10);
  const auto with = Of(Statistic::kSleepForThreads);
  EXPECT_NEAR(with->value, 250, 1e-9);
  EXPECT_NEAR(std::get<ThreadSleepDetail>(with->detail).timer_ms, 300, 1e-9);
  // Without other timers they are its own: runtimes sleep so.
  AddObject(schema::wait_kind::kFutex, 100, 10);
  const auto own = Of(Statistic::kSleepForThreads);
  EXPECT_NEAR(own->value, 50, 1e-9);
  EXPECT_NEAR(std::get<ThreadSleepDetail>(own->detail).timer_ms, 500, 1e-9);
}

}  // namespace
}  // namespace comparison
