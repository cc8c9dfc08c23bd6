// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/answering.h"

#include <gtest/gtest.h>

#include <vector>

namespace comparison {
namespace {

using measure::Attribution;
using measure::Blame;
using measure::Capture;
using measure::Duration;

enum : uint32_t { kClient, kServer };

// Sleeps of a client and a server, each of 1 ms.
Capture CaptureOfAnswers(uint64_t answers, uint64_t work_of_client, uint64_t work_of_server) {
  Capture capture;
  capture.groups.resize(2);
  capture.groups[kClient].name = {"app", "client", true};
  capture.groups[kServer].name = {"app", "server", true};
  const auto add = [&](uint32_t who, Attribution why, Duration what, uint32_t whom,
                       uint64_t count) {
    if (count == 0) return;
    measure::Group& group = capture.groups[who];
    group.blames[static_cast<size_t>(why)][whom] = {.count = count, .ns = count * 1'000'000};
    for (uint64_t i = 0; i < count; ++i) group.of(what).whole.Add(1'000'000);
    group.of(what).whole_ns = count * 1'000'000;
    group.of(Duration::kSleep).Merge(group.of(what));
    measure::Blame& woken = group.blames[static_cast<size_t>(Attribution::kWokenBy)][whom];
    woken.count += count;
    woken.ns += count * 1'000'000;
  };
  add(kClient, Attribution::kAnsweredBy, Duration::kForAnswer, kServer, answers);
  add(kClient, Attribution::kGivenWorkBy, Duration::kForWork, kServer, work_of_client);
  add(kServer, Attribution::kGivenWorkBy, Duration::kForWork, kClient, work_of_server);
  return capture;
}

uint64_t AnswersOf(const Capture& capture, uint32_t who) {
  return capture.groups[who].of(Duration::kForAnswer).whole.count();
}
uint64_t WorkOf(const Capture& capture, uint32_t who) {
  return capture.groups[who].of(Duration::kForWork).whole.count();
}

void Take(std::vector<Capture>& captures) {
  std::vector<Capture*> all;
  for (Capture& capture : captures) all.push_back(&capture);
  DecidePurposes(all, all.size() / 2);
}

TEST(AnsweringTest, ABusyServerAnswersWithoutBeingWoken) {
  std::vector<Capture> captures = {CaptureOfAnswers(100, 0, 100), CaptureOfAnswers(20, 70, 0)};
  Take(captures);
  EXPECT_EQ(AnswersOf(captures[0], kClient), 100U);
  EXPECT_EQ(AnswersOf(captures[1], kClient), 90U);
  EXPECT_EQ(WorkOf(captures[1], kClient), 0U);
  EXPECT_EQ(captures[1].groups[kClient].of(Attribution::kAnsweredBy).at(kServer).count, 90U);
  EXPECT_TRUE(captures[1].groups[kClient].of(Attribution::kGivenWorkBy).empty());
  // The server waits for work as before.
  EXPECT_EQ(WorkOf(captures[0], kServer), 100U);
}

TEST(AnsweringTest, AGroupThatIsMostlyAskedWaitsForWork) {
  std::vector<Capture> captures = {CaptureOfAnswers(0, 100, 0), CaptureOfAnswers(20, 70, 0)};
  Take(captures);
  // A few answers of the one that mostly asks are work as well.
  EXPECT_EQ(AnswersOf(captures[1], kClient), 0U);
  EXPECT_EQ(WorkOf(captures[1], kClient), 90U);
  EXPECT_EQ(captures[1].groups[kClient].of(Attribution::kGivenWorkBy).at(kServer).count, 90U);
  // The exit of a child is not a request.
  captures = {CaptureOfAnswers(0, 100, 0), CaptureOfAnswers(20, 70, 0)};
  captures[1].groups[kClient].waited_objects[{.waits_for = facts::WaitsFor::kChild}] = {.count =
                                                                                            20};
  Take(captures);
  EXPECT_EQ(AnswersOf(captures[1], kClient), 20U);
  // Not where both ask about as often.
  captures = {CaptureOfAnswers(0, 30, 0), CaptureOfAnswers(20, 0, 0)};
  Take(captures);
  EXPECT_EQ(AnswersOf(captures[1], kClient), 20U);
}

// A thread that closes files for others, whose first requests came before the recording.
TEST(AnsweringTest, AGroupThatOnlyEverWaitsForWorkDoesSoInAllItsSleeps) {
  const auto with_unknown = [](uint64_t work) {
    Capture capture = CaptureOfAnswers(0, 0, work);
    measure::Group& server = capture.groups[kServer];
    const measure::Instance idle{.begin = 5, .length = 900'000'000, .thread = 7, .cpu = 0};
    server.of(Duration::kSleep).AddWhole(idle);
    measure::Blame& woken = server.blames[static_cast<size_t>(Attribution::kWokenBy)][kClient];
    ++woken.count;
    woken.ns += idle.length;
    return capture;
  };
  std::vector<Capture> captures = {with_unknown(100), with_unknown(0)};
  Take(captures);
  for (const uint64_t work : {101U, 1U}) {
    Capture& capture = captures[work == 1];
    EXPECT_EQ(WorkOf(capture, kServer), work);
    LeaveOutWaitsForWork(capture);
    EXPECT_TRUE(capture.groups[kServer].of(Duration::kSleep).whole.empty());
    EXPECT_TRUE(capture.groups[kServer].of(Attribution::kWokenBy).empty());
  }
  // One with a timer of its own has other reasons to sleep.
  captures = {with_unknown(100), with_unknown(0)};
  captures[0].groups[kServer].blames[static_cast<size_t>(Attribution::kWokenBy)]
                                    [measure::kInterrupt] = {.count = 1, .ns = 1'000'000};
  Take(captures);
  EXPECT_EQ(WorkOf(captures[0], kServer), 100U);
}

TEST(AnsweringTest, WaitsForWorkAreLeftOut) {
  Capture capture = CaptureOfAnswers(10, 0, 100);
  measure::Group& server = capture.groups[kServer];
  measure::Distribution& sleeps = server.of(Duration::kSleep);
  sleeps = {};
  const measure::Instance idle{.begin = 5, .length = 900'000'000, .thread = 7, .cpu = 0};
  const measure::Instance slow{.begin = 9, .length = 3'000'000, .thread = 7, .cpu = 0};
  for (const auto& one : {idle, slow}) sleeps.AddWhole(one);
  server.of(Duration::kForWork) = {};
  server.of(Duration::kForWork).AddWhole(idle);
  auto& enders = server.blames[static_cast<size_t>(Attribution::kWokenBy)];
  enders[kClient] = {.count = 2, .ns = 903'000'000};
  server.blames[static_cast<size_t>(Attribution::kGivenWorkBy)][kClient] = {.count = 1,
                                                                            .ns = 900'000'000};
  LeaveOutWaitsForWork(capture);
  EXPECT_EQ(sleeps.whole.count(), 1u);
  EXPECT_EQ(sleeps.whole_ns, 3'000'000u);
  ASSERT_EQ(sleeps.worst.size(), 1u);
  EXPECT_EQ(sleeps.worst[0], slow);
  EXPECT_EQ(enders.at(kClient).ns, 3'000'000u);
  EXPECT_EQ(enders.at(kClient).count, 1u);
}

}  // namespace
}  // namespace comparison
