// SPDX-License-Identifier: BSD-2-Clause
#include "compare/details.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "compare/compare.h"
#include "schema/wait_object.h"
#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::Find;
using testing::Simulator;
using testing::Work;

constexpr double kNsOfMs = 1e6;
constexpr double kSeconds = 3;

Work Writer() {
  Work writer;
  writer.thread = "writer";
  writer.of_command = true;
  return writer;
}

// Adds `ms` per second of waits for a file to the new captures.
void Describe(DiffInput& input, const std::string& file, double ms, bool blocked) {
  measure::WaitedObject object;
  object.blocked = blocked;
  object.syscall = "fdatasync";
  object.kind = schema::wait_kind::kFile;
  object.object = file;
  for (measure::Capture& capture : input.next) {
    for (measure::Group& group : capture.groups) {
      if (group.name.thread != "writer") continue;
      group.waited_objects[object] = {.count = 10,
                                      .ns = static_cast<uint64_t>(ms * kNsOfMs * kSeconds)};
    }
  }
}

std::optional<ObjectChange> ObjectOf(DiffInput input, Metric metric) {
  auto report = Compare(std::move(input));
  if (!report.ok()) {
    ADD_FAILURE() << report.error().message;
    return std::nullopt;
  }
  const ComparisonRow* row = Find(*report, "writer", metric);
  if (row == nullptr) {
    ADD_FAILURE() << "no finding";
    return std::nullopt;
  }
  return row->object;
}

// 400 ms per second in D that the base does not have, in waits of 60 us.
DiffInput BlockedLonger() {
  Work later = Writer();
  later.blocked = 6600;
  later.blocked_us = 60;
  return Simulator(7).Sides({Writer()}, {later}, 5);
}

TEST(DetailsTest, AFewLongWaitsInDSpeakForTheShortOnes) {
  DiffInput input = BlockedLonger();
  Describe(input, "/srv/log", 8, true);
  const auto object = ObjectOf(std::move(input), Metric::kBlocked);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->object.syscall, "fdatasync");
  EXPECT_EQ(object->object.object, "/srv/log");
}

TEST(DetailsTest, WaitsInDThatAreTooFewOrForSeveralFilesDoNot) {
  DiffInput few = BlockedLonger();
  Describe(few, "/srv/log", 2, true);
  EXPECT_FALSE(ObjectOf(std::move(few), Metric::kBlocked));
  DiffInput two = BlockedLonger();
  Describe(two, "/srv/log", 8, true);
  Describe(two, "/srv/index", 6, true);
  const auto object = ObjectOf(std::move(two), Metric::kBlocked);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->object.syscall, "fdatasync");
  EXPECT_EQ(object->object.object, "");
}

// A thread sleeps for many reasons: what the long sleeps are for says little about the short ones.
TEST(DetailsTest, SleepsNeedMoreThatAreKnown) {
  Work later = Writer();
  later.long_sleeps = 20;
  for (const bool enough : {false, true}) {
    DiffInput input = Simulator(7).Sides({Writer()}, {later}, 5);
    Describe(input, "/srv/log", enough ? 40 : 8, false);
    EXPECT_EQ(ObjectOf(std::move(input), Metric::kSleep).has_value(), enough);
  }
}

// A program that runs for a fixed time sleeps as long as before, more rarely.
TEST(DetailsTest, LongerSleepsAreNamedThoughTheirSumIsTheSame) {
  Work sleeper = Writer();
  sleeper.wakeups = 400;
  sleeper.sleep_us = 2000;
  Work later = sleeper;
  later.wakeups = 80;
  later.sleep_us = 10'000;
  DiffInput input = Simulator(7).Sides({sleeper}, {later}, 5);
  measure::WaitedObject object;
  object.waits_for = facts::WaitsFor::kTimer;
  object.syscall = "clock_nanosleep";
  object.kind = schema::wait_kind::kSleep;
  for (auto* side : {&input.base, &input.next}) {
    for (measure::Capture& capture : *side) {
      const uint64_t count = side == &input.base ? 1200 : 240;
      capture.groups.front().waited_objects[object] = {
          .count = count, .ns = static_cast<uint64_t>(800 * kNsOfMs * kSeconds)};
    }
  }
  const auto found = ObjectOf(std::move(input), Metric::kSleep);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->object.syscall, "clock_nanosleep");
}

// Two processes of one name: what the one waits for is not what ends the sleeps of the other.
TEST(DetailsTest, TheObjectIsOfSleepsThatEndAsMostOfThemDo) {
  Work later = Writer();
  later.long_sleeps = 20;
  for (const bool by_timer : {true, false}) {
    DiffInput input = Simulator(7).Sides({Writer()}, {later}, 5);
    measure::WaitedObject object;
    object.waits_for = by_timer ? facts::WaitsFor::kTimer : facts::WaitsFor::kAnswer;
    object.syscall = by_timer ? "clock_nanosleep" : "poll";
    object.kind = by_timer ? schema::wait_kind::kSleep : schema::wait_kind::kTcp;
    for (measure::Capture& capture : input.next) {
      measure::Group& group = capture.groups.front();
      const auto ns = static_cast<uint64_t>(400 * kNsOfMs * kSeconds);
      group.waited_objects[object] = {.count = 60, .ns = ns};
      auto& enders = group.blames[static_cast<size_t>(measure::Attribution::kWokenBy)];
      enders[measure::kInterrupt].count += 60;
      enders[measure::kInterrupt].ns += ns;
    }
    EXPECT_EQ(ObjectOf(std::move(input), Metric::kSleep).has_value(), by_timer);
  }
}

}  // namespace
}  // namespace comparison
