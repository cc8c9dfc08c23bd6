// SPDX-License-Identifier: BSD-2-Clause
// Rules between groups, in whole comparisons.
#include "compare/attribution.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "schema/wait_object.h"
#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::At;
using testing::Find;
using testing::Simulator;
using testing::Work;

constexpr double kNsPerMs = 1e6;

measure::Group& GroupOf(measure::Capture& capture, const std::string& thread) {
  for (measure::Group& group : capture.groups) {
    if (group.name.thread == thread) return group;
  }
  ADD_FAILURE() << thread;
  return capture.groups.front();
}

uint32_t NumberOf(measure::Capture& capture, const std::string& thread) {
  return static_cast<uint32_t>(&GroupOf(capture, thread) - capture.groups.data());
}

// Attributes `ms` per second of `group` to the group at `to`.
void Blame(measure::Capture& capture, const std::string& group, measure::Attribution kind,
           uint32_t to, double ms) {
  auto& blames = GroupOf(capture, group).blames[static_cast<size_t>(kind)];
  const auto seconds = static_cast<double>(capture.length()) / 1e9;
  blames[to].count += 100;
  blames[to].ns += static_cast<uint64_t>(ms * kNsPerMs * seconds);
}

DiffReport DiffOf(DiffInput input) {
  auto report = Compare(std::move(input));
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? std::move(*report) : DiffReport();
}

Work Named(const std::string& thread) {
  Work work;
  work.thread = thread;
  work.of_command = true;
  return work;
}

// A client that sleeps longer by its timer, and a server that it waits for: 300 ms per second in
// the base, `answer` ms in the new captures.
DiffReport Paced(double server_cpu, double answer) {
  const Work client = Named("client");
  Work later = client;
  later.long_sleeps = 10;
  later.long_sleep_ms = 15;
  Work server = Named("server");
  server.cpu_ms = 400;
  Work changed = server;
  changed.cpu_ms = server_cpu;
  DiffInput input = Simulator(5).Sides({client, server}, {later, changed}, 5);
  for (auto* side : {&input.base, &input.next}) {
    const bool next = side == &input.next;
    for (auto& capture : *side) {
      const auto kind = measure::Attribution::kWokenBy;
      Blame(capture, "client", kind, NumberOf(capture, "server"), next ? answer : 300);
      Blame(capture, "client", kind, measure::kInterrupt, next ? 550 : 400);
    }
  }
  return DiffOf(std::move(input));
}

TEST(AttributionTest, LongerTimerSleepAfterFasterServiceIsDropped) {
  const DiffReport faster = Paced(150, 100);
  EXPECT_FALSE(faster.worse());
  EXPECT_EQ(Find(faster, "server", Metric::kCpuTime)->verdict, Verdict::kBetter);
  EXPECT_STREQ(Find(faster, "client", Metric::kSleep)->suppression_rule,
               "sleep_after_faster_service");
  // Without a faster service it is worse.
  const DiffReport slower = Paced(400, 300);
  EXPECT_EQ(Find(slower, "client", Metric::kSleep)->verdict, Verdict::kWorse);
}

TEST(AttributionTest, SleepOfAnIdleServerIsDropped) {
  const Work client = Named("client");
  Work server = Named("server");
  server.of_command = false;
  Work idle = server;
  idle.long_sleeps = 10;
  idle.long_sleep_ms = 15;
  DiffInput input = Simulator(5).Sides({client, server}, {client, idle}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      Blame(capture, "server", measure::Attribution::kWokenBy, NumberOf(capture, "client"),
            side == &input.next ? 450 : 300);
    }
  }
  const DiffReport report = DiffOf(std::move(input));
  const ComparisonRow* sleep = Find(report, "server", Metric::kSleep);
  ASSERT_NE(sleep, nullptr);
  EXPECT_FALSE(IsFinding(sleep->verdict));
  EXPECT_STREQ(sleep->suppression_rule, "idle_server");
}

// A victim waits 100 ms per second longer, while the holder has the CPU.
DiffReport Waiting(const Work& holder, const Work& changed) {
  Work victim = Named("victim");
  victim.preempted_ms = 20;
  Work waiting = victim;
  waiting.preempted_ms = 120;
  DiffInput input = Simulator(7).Sides({victim, holder}, {waiting, changed}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      Blame(capture, "victim", measure::Attribution::kHeldCpu, NumberOf(capture, holder.thread),
            side == &input.next ? 110 : 10);
    }
  }
  return DiffOf(std::move(input));
}

TEST(AttributionTest, WaitsForNewWorkOutOfScopeAreNoFinding) {
  Work holder = Named("holder");
  EXPECT_EQ(Find(Waiting(holder, holder), "victim", Metric::kPreemptedWait)->verdict,
            Verdict::kWorse);
  holder.of_command = false;
  Work more = holder;
  more.cpu_ms *= 3;
  const DiffReport report = Waiting(holder, more);
  EXPECT_FALSE(IsFinding(Find(report, "victim", Metric::kPreemptedWait)->verdict));
  EXPECT_TRUE(report.findings.empty());
}

// The victim itself changed: it is pinned, throttled, or of less weight.
TEST(AttributionTest, WaitsForUnchangedWorkOutOfScopeAreAFinding) {
  Work holder = Named("holder");
  holder.of_command = false;
  EXPECT_EQ(Find(Waiting(holder, holder), "victim", Metric::kPreemptedWait)->verdict,
            Verdict::kWorse);
}

// It is new, but what it waits for was there before.
TEST(AttributionTest, WaitsOfANewGroupForWorkOutOfScopeAreNoFinding) {
  Work holder = Named("holder");
  holder.of_command = false;
  const Work other = Named("other");
  Work added = Named("added");
  added.preempted_ms = 100;
  added.cpu_ms = 1;
  const auto verdict = [&](bool blames_holder) {
    DiffInput input = Simulator(7).Sides({other, holder}, {other, holder, added}, 5);
    for (auto& capture : input.next) {
      Blame(capture, "added", measure::Attribution::kHeldCpu,
            NumberOf(capture, blames_holder ? "holder" : "other"), 90);
    }
    const DiffReport report = DiffOf(std::move(input));
    return Find(report, "added", Metric::kPreemptedWait)->verdict;
  };
  EXPECT_EQ(verdict(false), Verdict::kNew);
  EXPECT_FALSE(IsFinding(verdict(true)));
}

TEST(AttributionTest, WaitForMoreWorkIsItsSymptom) {
  const Work holder = Named("holder");
  Work more = holder;
  more.cpu_ms *= 2;
  more.wakeups *= 2;
  const DiffReport report = Waiting(holder, more);
  const ComparisonRow& wait = *Find(report, "victim", Metric::kPreemptedWait);
  ASSERT_TRUE(wait.suppressed_by);
  EXPECT_STREQ(wait.suppression_rule, "wait_for_work_of_holder");
  EXPECT_EQ(&report.rows[*wait.suppressed_by], Find(report, "holder", Metric::kCpuTime));
  EXPECT_FALSE(report.worse());
}

// On a busy machine a group that needs twice the CPU time waits nine times as long for it.
TEST(AttributionTest, WaitOfAGroupThatNeedsMoreIsASymptomOfItsNeed) {
  Work holder = Named("holder");
  holder.of_command = false;
  Work victim = Named("victim");
  victim.preempted_ms = 20;
  Work needing = victim;
  needing.preempted_ms = 180;
  needing.cpu_ms *= 2;
  DiffInput input = Simulator(7).Sides({victim, holder}, {needing, holder}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      Blame(capture, "victim", measure::Attribution::kHeldCpu, NumberOf(capture, "holder"),
            side == &input.next ? 170 : 10);
    }
  }
  const DiffReport report = DiffOf(std::move(input));
  const ComparisonRow& wait = *Find(report, "victim", Metric::kPreemptedWait);
  ASSERT_TRUE(wait.suppressed_by);
  EXPECT_STREQ(wait.suppression_rule, "wait_of_greater_need");
  EXPECT_EQ(&report.rows[*wait.suppressed_by], Find(report, "victim", Metric::kCpuTime));
  EXPECT_EQ(At(report, 1)->metric, Metric::kCpuTime);
}

// A group waits 100 ms per second less for a CPU that `holder`, of its own program or not, has.
DiffReport WaitingLess(const std::string& process_of_holder, double runs_times = 1,
                       double threads_times = 1) {
  Work waiting = Named("waiting");
  waiting.threads = 4;
  waiting.noise = 0.02;
  waiting.preempted_ms = 120;
  Work less = waiting;
  less.preempted_ms = 20;
  less.cpu_ms *= runs_times;
  less.threads *= threads_times;
  Work holder = Named("holder");
  holder.process = process_of_holder;
  DiffInput input = Simulator(7).Sides({waiting, holder}, {less, holder}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      Blame(capture, "waiting", measure::Attribution::kHeldCpu, NumberOf(capture, "holder"),
            side == &input.next ? 10 : 110);
    }
  }
  return DiffOf(std::move(input));
}

TEST(AttributionTest, FewerThreadsOfAProgramAtOnceAreNoImprovement) {
  const DiffReport own = WaitingLess(Work().process);
  const ComparisonRow& wait = *Find(own, "waiting", Metric::kPreemptedWait);
  EXPECT_FALSE(IsFinding(wait.verdict));
  EXPECT_STREQ(wait.suppression_rule, "fewer_threads_at_once");
  EXPECT_EQ(Find(WaitingLess("neighbour"), "waiting", Metric::kPreemptedWait)->verdict,
            Verdict::kBetter);
  // It runs on fewer CPUs at a time.
  const DiffReport fewer = WaitingLess("neighbour", 0.7);
  EXPECT_NE(Find(fewer, "waiting", Metric::kPreemptedWait)->verdict, Verdict::kBetter);
  EXPECT_STREQ(
      Find(WaitingLess("neighbour", 1, 0.75), "waiting", Metric::kPreemptedWait)->suppression_rule,
      "fewer_threads_at_once");
}

// A client that waits 150 ms per second longer for a server.
DiffReport Asking(const Work& server, const Work& changed,
                  void (*blame)(measure::Capture& capture, bool next), double clients = 1) {
  Work client = Named("client");
  client.threads = clients;
  Work later = client;
  later.long_sleeps = 10;
  later.long_sleep_ms = 15;
  const Work backend = Named("backend");
  DiffInput input = Simulator(5).Sides({client, server, backend}, {later, changed, backend}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      const bool next = side == &input.next;
      Blame(capture, "client", measure::Attribution::kWokenBy, NumberOf(capture, "server"),
            next ? 450 : 300);
      blame(capture, next);
    }
  }
  return DiffOf(std::move(input));
}

TEST(AttributionTest, AServerWithoutAFindingLeadsToTheOneThatAnswersIt) {
  const Work server = Named("server");
  const DiffReport report = Asking(server, server, [](measure::Capture& capture, bool next) {
    Blame(capture, "server", measure::Attribution::kAnsweredBy, NumberOf(capture, "backend"),
          next ? 440 : 300);
  });
  const ComparisonRow& wait = *Find(report, "client", Metric::kSleep);
  ASSERT_EQ(wait.causes.size(), 2u);
  EXPECT_EQ(wait.causes[1].kind, CauseLink::Kind::kAnsweredBy);
  EXPECT_EQ(report.groups[*wait.causes[1].group].name.thread, "backend");
  EXPECT_NEAR(wait.causes[1].change, 140, 20);
  // Not if it does not wait longer for it.
  const DiffReport own = Asking(server, server, [](measure::Capture& capture, bool next) {
    Blame(capture, "server", measure::Attribution::kAnsweredBy, NumberOf(capture, "backend"),
          next ? 310 : 300);
  });
  EXPECT_EQ(Find(own, "client", Metric::kSleep)->causes.size(), 1u);
}

TEST(AttributionTest, WhatAGroupDoesIsTheCauseOfWaitsForItsOwnThreads) {
  Work server = Named("server");
  server.threads = 4;
  server.blocked = 50;
  Work syncing = server;
  syncing.blocked = 400;
  syncing.long_sleeps = 40;
  syncing.long_sleep_ms = 15;
  const DiffReport report = Asking(server, syncing, [](measure::Capture& capture, bool next) {
    Blame(capture, "server", measure::Attribution::kWokenBy, NumberOf(capture, "server"),
          next ? 800 : 200);
  });
  const ComparisonRow& first = *At(report, 1);
  EXPECT_EQ(first.metric, Metric::kBlocked);
  EXPECT_EQ(report.groups[*first.group].name.thread, "server");
  for (const char* waits : {"server", "client"}) {
    const ComparisonRow& sleep = *Find(report, waits, Metric::kSleep);
    EXPECT_EQ(sleep.verdict, Verdict::kWorse) << waits;
    ASSERT_TRUE(sleep.caused_by) << waits;
    EXPECT_EQ(&report.rows[*sleep.caused_by], &first) << waits;
  }
}

void BlameNothing(measure::Capture&, bool) {}

TEST(AttributionTest, LongerSleepForMoreWorkIsASymptomOfIt) {
  const Work server = Named("server");
  Work busier = server;
  busier.cpu_ms *= 2;
  busier.wakeups *= 2;
  const DiffReport more = Asking(server, busier, BlameNothing);
  const ComparisonRow& wait = *Find(more, "client", Metric::kSleep);
  ASSERT_TRUE(wait.suppressed_by);
  EXPECT_STREQ(wait.suppression_rule, "sleep_for_more_work");
  EXPECT_EQ(&more.rows[*wait.suppressed_by], Find(more, "server", Metric::kCpuTime));
  EXPECT_FALSE(more.worse());
  Work dearer = server;
  dearer.cpu_ms *= 2;
  const DiffReport worse = Asking(server, dearer, BlameNothing);
  EXPECT_EQ(Find(worse, "client", Metric::kSleep)->verdict, Verdict::kWorse);
  EXPECT_FALSE(Find(worse, "client", Metric::kSleep)->suppressed_by);
}

// A shell waits 40 times a second for a child's exit, 5 ms each, then 10 ms each. `by_child`: ms
// per second of the change that the child ended.
DiffReport WaitingForExits(const Work& child, const Work& changed, std::string_view kind,
                           double by_child = 200) {
  Work shell = Named("shell");
  shell.wakeups = 40;
  shell.answers = 40;
  shell.answer_us = 5000;
  Work later = shell;
  later.answer_us = 10'000;
  DiffInput input = Simulator(5).Sides({shell, child}, {later, changed}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      const double ms = side == &input.next ? 200 + by_child : 200;
      const uint32_t to = NumberOf(capture, "child");
      Blame(capture, "shell", measure::Attribution::kWokenBy, to, ms);
      Blame(capture, "shell", measure::Attribution::kAnsweredBy, to, ms);
      measure::WaitedObject object;
      object.kind = kind;
      object.waits_for = facts::WaitsFor::kChild;
      GroupOf(capture, "shell").waited_objects[object] = {
          .count = 100, .ns = static_cast<uint64_t>(ms * kNsPerMs)};
    }
  }
  return DiffOf(std::move(input));
}

TEST(AttributionTest, ALaterExitOfAChildThatDoesMoreIsASymptom) {
  const Work child = Named("child");
  Work busier = child;
  busier.cpu_ms *= 2;
  busier.wakeups *= 2;
  const DiffReport more = WaitingForExits(child, busier, schema::wait_kind::kChild);
  const ComparisonRow& wait = *Find(more, "shell", Metric::kSleep);
  ASSERT_TRUE(wait.suppressed_by);
  EXPECT_STREQ(wait.suppression_rule, "exit_of_busier_child");
  EXPECT_FALSE(more.worse());
  // A server may answer later because it does more.
  EXPECT_TRUE(WaitingForExits(child, busier, schema::wait_kind::kFutex).worse());
  // A child that is slower by itself.
  Work dearer = child;
  dearer.cpu_ms *= 2;
  EXPECT_TRUE(WaitingForExits(child, dearer, schema::wait_kind::kChild).worse());
}

// Medians of a few exits change by more than the wait as a whole, which is what the child explains.
TEST(AttributionTest, AWaitForAnExitRanksBehindWhatDelaysTheChild) {
  const Work child = Named("child");
  Work dearer = child;
  dearer.cpu_ms *= 2;
  for (const bool for_exit : {true, false}) {
    const DiffReport report = WaitingForExits(
        child, dearer, for_exit ? schema::wait_kind::kChild : schema::wait_kind::kFutex, 80);
    const ComparisonRow& wait = *Find(report, "shell", Metric::kSleep);
    ASSERT_EQ(wait.verdict, Verdict::kWorse);
    EXPECT_EQ(wait.caused_by.has_value(), for_exit);
    EXPECT_EQ(At(report, 1)->metric, for_exit ? Metric::kCpuTime : Metric::kSleep);
  }
}

// Four clients that wait at once wait four times as long as the server works.
TEST(AttributionTest, ASmallCauseNeedsManyThatWaitForIt) {
  const Work server = Named("server");
  Work blocked = server;
  blocked.blocked = 50;
  blocked.blocked_us = 400;
  for (const double clients : {1, 4}) {
    const DiffReport report = Asking(server, blocked, BlameNothing, clients);
    const ComparisonRow& cause = *Find(report, "server", Metric::kBlocked);
    const ComparisonRow& wait = *Find(report, "client", Metric::kSleep);
    EXPECT_EQ(cause.verdict, Verdict::kWorse);
    EXPECT_GT(cause.change, wait.change / 10);
    EXPECT_LT(cause.change, wait.change / 4);
    EXPECT_EQ(wait.caused_by.has_value(), clients == 4) << clients;
  }
}

// The server waits for requests of those who wait for its answers.
TEST(AttributionTest, WhoAsksRanksBeforeWhoAnswers) {
  const Work client = Named("client");
  Work later = client;
  later.long_sleeps = 10;
  later.long_sleep_ms = 15;
  const Work server = Named("server");
  Work waiting = server;
  waiting.long_sleeps = 10;
  waiting.long_sleep_ms = 25;
  DiffInput input = Simulator(5).Sides({client, server}, {later, waiting}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      const bool next = side == &input.next;
      const uint32_t to_server = NumberOf(capture, "server");
      Blame(capture, "client", measure::Attribution::kWokenBy, to_server, next ? 450 : 300);
      Blame(capture, "client", measure::Attribution::kAnsweredBy, to_server, next ? 450 : 300);
      Blame(capture, "server", measure::Attribution::kWokenBy, NumberOf(capture, "client"),
            next ? 550 : 300);
    }
  }
  const DiffReport report = DiffOf(std::move(input));
  EXPECT_GT(Find(report, "server", Metric::kSleep)->change,
            Find(report, "client", Metric::kSleep)->change);
  EXPECT_EQ(report.groups[*At(report, 1)->group].name.thread, "client");
}

TEST(AttributionTest, SleepForOwnThreadsIsASymptomOfTheirRuns) {
  const Work pair = Named("pair");
  Work changed = pair;
  changed.cpu_ms *= 2.5;
  changed.long_sleeps = 10;
  changed.long_sleep_ms = 15;
  DiffInput input = Simulator(9).Sides({pair}, {changed}, 5);
  for (auto* side : {&input.base, &input.next}) {
    for (auto& capture : *side) {
      Blame(capture, "pair", measure::Attribution::kWokenBy, NumberOf(capture, "pair"),
            side == &input.next ? 350 : 200);
    }
  }
  const DiffReport report = DiffOf(std::move(input));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.rows[report.findings[0]].metric, Metric::kCpuTime);
  EXPECT_TRUE(Find(report, "pair", Metric::kSleep)->suppressed_by);
  EXPECT_STREQ(Find(report, "pair", Metric::kSleep)->suppression_rule, "sleep_for_own_threads");
}

}  // namespace
}  // namespace comparison
