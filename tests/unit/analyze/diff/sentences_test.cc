// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/sentences.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

using comparison::CauseLink;
using comparison::ComparisonRow;
using comparison::DiffReport;
using comparison::Metric;
using comparison::Statistic;
using comparison::Verdict;

enum : size_t { kVisit, kWorker, kExpiry, kNeighbour };

class SentencesTest : public ::testing::Test {
 protected:
  SentencesTest() {
    report_.confirmed = true;
    for (const char* name : {"visit", "worker", "expiry", "neighbour"}) {
      comparison::DiffGroup group;
      group.name = {name, name, true};
      report_.groups.push_back(group);
    }
  }
  ComparisonRow& Add(size_t group, Metric metric, Statistic statistic, double change) {
    ComparisonRow row;
    row.group = group;
    row.metric = metric;
    row.statistic = statistic;
    row.change = change;
    row.verdict = Verdict::kWorse;
    row.base.value = 100;
    row.next.value = 250;
    row.ratio = {2.5, 2, 3};
    report_.findings.push_back(report_.rows.size());
    report_.rows.push_back(row);
    return report_.rows.back();
  }

  DiffReport report_;
};

TEST_F(SentencesTest, ConclusionNamesTheVictimAndTheCause) {
  Add(kWorker, Metric::kSleep, Statistic::kLockRate, 229).causes = {
      {CauseLink::Kind::kLetGoBy, kExpiry, 200, Metric::kSleep}};
  ComparisonRow& visit = Add(kVisit, Metric::kSleep, Statistic::kAnswerMean, 300);
  visit.causes = {{CauseLink::Kind::kWokenBy, kWorker, 300, Metric::kSleep}};
  visit.caused_by = 0;
  EXPECT_EQ(ConclusionOf(report_),
            "visit waits 300 ms per second longer for answers of worker, 250 us each instead of "
            "100 us; worker waits 229 ms per second longer until expiry lets it go on (a lock)");
  report_.per_run = true;
  report_.seconds_per_run = 10;
  EXPECT_EQ(SentenceOf(report_, report_.rows[0]),
            "worker waits 2.3 s per run longer until expiry lets it go on (a lock)");
}

TEST_F(SentencesTest, ConclusionFollowsTheChainFromWhoWaitsInTheEnd) {
  Add(kExpiry, Metric::kCpuTime, Statistic::kCpuRate, 229);
  ComparisonRow& worker = Add(kWorker, Metric::kSleep, Statistic::kAnswerMean, 280);
  worker.causes = {{CauseLink::Kind::kWokenBy, kExpiry, 280, Metric::kSleep}};
  worker.caused_by = 0;
  ComparisonRow& visit = Add(kVisit, Metric::kSleep, Statistic::kAnswerMean, 250);
  visit.causes = {{CauseLink::Kind::kWokenBy, kWorker, 250, Metric::kSleep}};
  visit.caused_by = 1;
  EXPECT_EQ(ConclusionOf(report_),
            "visit waits 250 ms per second longer for answers of worker, 250 us each instead of "
            "100 us; worker waits 280 ms per second longer for answers of expiry, which uses 229 "
            "ms per second more CPU time");
}

// A shell waits a little longer for the command, which waits much longer.
TEST_F(SentencesTest, ASmallSideEffectIsNoVictim) {
  Add(kWorker, Metric::kSleep, Statistic::kSleepExcessP50, 300);
  Add(kVisit, Metric::kSleep, Statistic::kSleepExcessP50, 31).caused_by = 0;
  EXPECT_EQ(ConclusionOf(report_).find("visit"), 0U);
  report_.rows[1].change = 29;
  EXPECT_EQ(ConclusionOf(report_).find("worker"), 0U);
}

TEST_F(SentencesTest, AShellThatWaitsForTheCommandIsNoVictim) {
  Add(kWorker, Metric::kSleep, Statistic::kSleepExcessP50, 300);
  ComparisonRow& shell = Add(kVisit, Metric::kSleep, Statistic::kSleepExcessP90, 290);
  shell.caused_by = 0;
  EXPECT_EQ(ConclusionOf(report_).find("visit"), 0U);
  report_.rows[1].object = {{.syscall = "wait4", .kind = "child"}, 290};
  EXPECT_EQ(ConclusionOf(report_).find("worker"), 0U);
  // One that starts many children waits for each, which says more than what a child does.
  report_.rows[1].statistic = Statistic::kAnswerMean;
  EXPECT_EQ(ConclusionOf(report_).find("visit"), 0U);
  // But not where the child waits itself.
  report_.rows[0].causes = {{CauseLink::Kind::kWokenBy, kExpiry, 300, Metric::kSleep}};
  EXPECT_EQ(ConclusionOf(report_).find("worker"), 0U);
}

TEST_F(SentencesTest, AServerThatWaitsForItsClientsIsNoVictimOfThem) {
  Add(kVisit, Metric::kSleep, Statistic::kSleepExcessP50, 300).causes = {
      {CauseLink::Kind::kWokenBy, kWorker, 300, Metric::kSleep}};
  Add(kWorker, Metric::kSleep, Statistic::kSleepExcessP50, 400).caused_by = 0;
  EXPECT_EQ(ConclusionOf(report_), "visit waits 300 ms per second longer for worker");
}

TEST_F(SentencesTest, OtherWorkThatIsBlockedAsWellIsNamed) {
  ComparisonRow& blocked = Add(kWorker, Metric::kBlocked, Statistic::kBlockedRate, 60);
  blocked.object = {{.blocked = true, .syscall = "fdatasync", .kind = "file", .object = "log"}, 55};
  blocked.causes = {{CauseLink::Kind::kWokenBy, kExpiry, 60, Metric::kBlocked}};
  ComparisonRow other = blocked;
  other.change = 70;
  other.group = kExpiry;  // it ends the wait: a thread of the kernel
  report_.others = {other};
  const std::string alone =
      "worker is blocked 60.0 ms per second longer in fdatasync (log), until expiry ends it";
  EXPECT_EQ(SentenceOf(report_, blocked), alone);
  other.change = 40;
  other.group = kNeighbour;
  other.object->object.object = "bulk";
  report_.others.push_back(other);
  EXPECT_EQ(SentenceOf(report_, blocked),
            alone +
                ", while neighbour (other work) is blocked 40.0 ms per second longer in "
                "fdatasync (bulk)");
  report_.others.back().change = 20;
  EXPECT_EQ(SentenceOf(report_, blocked), alone);
}

TEST_F(SentencesTest, ObjectsAreNamedWhereTheySayMore) {
  ComparisonRow& blocked = Add(kWorker, Metric::kBlocked, Statistic::kBlockedRate, 60);
  blocked.causes = {{CauseLink::Kind::kInterrupt, std::nullopt, 60, Metric::kBlocked}};
  blocked.object = {
      {.blocked = true, .syscall = "fdatasync", .kind = "file", .object = "appendonly.aof"}, 55};
  EXPECT_EQ(SentenceOf(report_, blocked),
            "worker is blocked 60.0 ms per second longer in fdatasync (appendonly.aof), until a "
            "device is done");
  ComparisonRow& visit = Add(kVisit, Metric::kSleep, Statistic::kSleepExcessP50, 300);
  visit.causes = {{CauseLink::Kind::kWokenBy, kWorker, 300, Metric::kSleep}};
  visit.object = {{.syscall = "epoll_wait", .kind = "unix", .object = "redis.sock"}, 300};
  EXPECT_EQ(SentenceOf(report_, visit), "visit waits 300 ms per second longer for worker");
  visit.object = {{.syscall = "write", .kind = "pipe"}, 300};
  EXPECT_EQ(SentenceOf(report_, visit),
            "visit waits 300 ms per second longer for worker in write (pipe)");
  ComparisonRow& parent = Add(kVisit, Metric::kSleep, Statistic::kAnswerMean, 300);
  parent.causes = {{CauseLink::Kind::kWokenBy, kWorker, 300, Metric::kSleep}};
  parent.object = {{.syscall = "wait4", .kind = "child"}, 300};
  EXPECT_EQ(SentenceOf(report_, parent),
            "visit waits 300 ms per second longer for worker to exit, 250 us each instead of "
            "100 us");
}

TEST_F(SentencesTest, ACommandThatRunsOnFewerCpusAtATimeSaysSo) {
  ComparisonRow& elapsed = Add(kVisit, Metric::kElapsed, Statistic::kElapsedTime, 1000);
  elapsed.group.reset();
  elapsed.base.value = 600;
  elapsed.next.value = 1200;
  elapsed.ratio = {2, 1.9, 2.1};
  report_.per_run = true;
  report_.seconds_per_run = 0.9;
  constexpr auto kRunning = static_cast<size_t>(facts::Share::kRunning);
  const auto set_cpu = [&](size_t group, double base_ms, double next_ms) {
    report_.groups[group].name.of_command = true;
    report_.groups[group].base_shares[kRunning] = base_ms / 0.9;
    report_.groups[group].next_shares[kRunning] = next_ms / 0.9;
  };
  set_cpu(kVisit, 100, 100);
  set_cpu(kWorker, 1140, 1200);
  EXPECT_EQ(ConclusionOf(report_),
            "the command takes 1200 ms instead of 600 ms; worker runs on 1.0 CPUs at a time "
            "instead of 1.9");
  // It does twice as much.
  set_cpu(kWorker, 1140, 2280);
  EXPECT_EQ(ConclusionOf(report_), "the command takes 1200 ms instead of 600 ms");
  // It sleeps longer: there was one at a time before.
  set_cpu(kWorker, 600, 600);
  EXPECT_EQ(ConclusionOf(report_), "the command takes 1200 ms instead of 600 ms");
}

TEST_F(SentencesTest, ASettingOfTheVictimAloneIsNotTheCauses) {
  Add(kWorker, Metric::kBlocked, Statistic::kBlockedRate, 229);
  ComparisonRow& visit = Add(kVisit, Metric::kSleep, Statistic::kSleepExcessP50, 300);
  visit.causes = {{CauseLink::Kind::kWokenBy, kWorker, 300, Metric::kSleep}};
  visit.caused_by = 0;
  comparison::SettingDifference threads{.scope = schema::SettingScope::kProcess,
                                        .subject = "visit",
                                        .name = std::string(schema::setting::kThreads),
                                        .base = "4",
                                        .next = "1"};
  threads.shown = "visit";
  report_.settings = {threads};
  EXPECT_EQ(ConclusionOf(report_).find("since"), std::string::npos);
  report_.settings[0].subject = report_.settings[0].shown = "worker";
  EXPECT_NE(ConclusionOf(report_).find("since worker has 1 thread"), std::string::npos);
}

TEST_F(SentencesTest, ProcessesOfOneNameWaitForEachOther) {
  Add(kWorker, Metric::kSleep, Statistic::kSleepExcessP50, 300).causes = {
      {CauseLink::Kind::kWokenBy, kWorker, 300, Metric::kSleep}};
  EXPECT_EQ(ConclusionOf(report_),
            "worker waits 300 ms per second longer for a thread of its own kind");
  report_.groups[kWorker].of_processes = true;
  EXPECT_EQ(ConclusionOf(report_),
            "worker waits 300 ms per second longer for another process worker");
}

TEST_F(SentencesTest, SlowerBecauseOfOthersIsSaidWithoutAFinding) {
  EXPECT_EQ(ConclusionOf(report_).find("nothing changed by 10% or more"), 0U);
  ComparisonRow row = Add(kVisit, Metric::kWakeupLatency, Statistic::kLatencyMean, 400);
  report_.findings.clear();
  report_.rows.clear();
  row.verdict = Verdict::kOthers;
  row.others = {{CauseLink::Kind::kHeldCpu, kNeighbour, 390, Metric::kCpuTime}};
  report_.slower_by_others.push_back(row);
  EXPECT_EQ(ConclusionOf(report_),
            "slower because of others: visit waits 400 ms per second longer for a CPU, which "
            "neighbour (390 ms per second) had");
  EXPECT_FALSE(report_.worse());
}

TEST_F(SentencesTest, AFindingThatIsSmallBesideADelayByOthersComesAfterIt) {
  Add(kWorker, Metric::kCpuTime, Statistic::kCpuRate, 7).verdict = Verdict::kNew;
  ComparisonRow delay = report_.rows[0];
  delay.group = kVisit;
  delay.metric = Metric::kWakeupLatency;
  delay.verdict = Verdict::kOthers;
  delay.change = 400;
  report_.slower_by_others.push_back(delay);
  EXPECT_EQ(ConclusionOf(report_).find("slower because of others: visit waits 400 ms"), 0U);
  report_.rows[0].change = 70;
  EXPECT_EQ(ConclusionOf(report_), "worker is new");
}

TEST_F(SentencesTest, WhatTheCommandDoesMoreFollowsItsTime) {
  ComparisonRow& elapsed = Add(kVisit, Metric::kElapsed, Statistic::kElapsedTime, 400);
  elapsed.group.reset();
  EXPECT_EQ(ConclusionOf(report_), "the command takes 250 ms instead of 100 ms");
  Add(kWorker, Metric::kWakeups, Statistic::kWakeupRate, 9).verdict = Verdict::kMore;
  const std::string more =
      "the command takes 250 ms instead of 100 ms; worker is woken 250/s instead of 100/s";
  EXPECT_EQ(ConclusionOf(report_), more);
  // Others that explain little of it are no reason.
  ComparisonRow by_others = report_.rows[1];
  by_others.metric = Metric::kWakeupLatency;
  by_others.verdict = Verdict::kOthers;
  by_others.change = 30;
  report_.slower_by_others.push_back(by_others);
  EXPECT_EQ(ConclusionOf(report_), more);
  report_.slower_by_others[0].change = 300;
  EXPECT_EQ(ConclusionOf(report_).find("slower because of others"), 0U);
}

TEST_F(SentencesTest, NextCommandShowsTheLongestInstance) {
  ComparisonRow& row = Add(kVisit, Metric::kSleep, Statistic::kAnswerMean, 300);
  EXPECT_EQ(NextCommand(row), "");
  row.examples = {{"my captures/01.fxt", 7, 1'500'000'000, 20'000'000, 12}};
  EXPECT_EQ(NextCommand(row),
            "fxt draw --from 1.498000s --to 1.522000s 'my captures/01.fxt' -o longest.svg");
  row.examples[0].file = "all.fxs";
  EXPECT_EQ(NextCommand(row), "");
}

TEST_F(SentencesTest, SilenceIsExplained) {
  report_.judged = 3;
  report_.partners = {{kNeighbour, 120}};
  Add(kVisit, Metric::kWakeupLatency, Statistic::kLatencyMean, 4);
  report_.too_noisy = {{0, 40}};
  const auto lines = SilenceWords(report_);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "judged: 3 of 4 groups");
  EXPECT_EQ(lines[1],
            "exchanges wakeups with them and is not judged: neighbour (120 wakeups per second)");
  EXPECT_NE(lines[2].find("40 captures a side would decide"), std::string::npos);
  report_.disturbed = {{"base/02.fxt", false, 0.9, 0.1, "compiler", true}};
  EXPECT_EQ(DisturbedWords(report_).front(),
            "base/02.fxt is disturbed: other work had 90% of the CPU time, usually 10%, most of it "
            "compiler; it is left out");
}

TEST_F(SentencesTest, ASettingThatExplainsIsNamed) {
  const auto differ = [&](const char* subject, const char* name, const char* base,
                          const char* next) {
    report_.settings.push_back({.scope = schema::SettingScope::kProcess,
                                .subject = subject,
                                .name = name,
                                .base = base,
                                .next = next,
                                .shown = subject});
  };
  Add(kWorker, Metric::kAffinity, Statistic::kAffinityRate, 120);
  // The program of a process is context, and no reason for a change.
  differ("worker", "command_line", "worker", "worker --pin");
  const std::string what =
      "worker waits 120 ms per second longer for a CPU, while a CPU that it may not use was idle";
  EXPECT_EQ(ConclusionOf(report_), what);
  // Settings of another process, or for another metric.
  differ("expiry", "cpus_allowed", "0-1", "1");
  differ("worker", "timerslack_ns", "50000", "8000000");
  EXPECT_EQ(ConclusionOf(report_), what);
  differ("worker", "cpus_allowed of thread pool-#", "0-1", "1");
  EXPECT_EQ(ConclusionOf(report_),
            what + ", since cpus_allowed of thread pool-# of worker is 1 (was: 0-1)");
}

TEST_F(SentencesTest, AGroupThatWaitsForWorkIsNoVictim) {
  Add(kWorker, Metric::kCpuTime, Statistic::kCpuRate, 500);
  Add(kExpiry, Metric::kSleep, Statistic::kSleepExcessP50, 600).caused_by = 0;
  auto& times = report_.groups[kExpiry].next_times;
  times[static_cast<size_t>(measure::Duration::kForWork)].Add(1000);
  EXPECT_EQ(ConclusionOf(report_), "worker uses 500 ms per second more CPU time");
  times[static_cast<size_t>(measure::Duration::kForAnswer)].Add(1000);
  EXPECT_EQ(ConclusionOf(report_),
            "expiry sleeps 600 ms per second longer; worker uses 500 ms per second more CPU time");
}

}  // namespace
}  // namespace analyze
