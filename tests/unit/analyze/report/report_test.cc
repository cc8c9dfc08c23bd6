// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "unit/measure/trace_script.h"

namespace analyze {
namespace {

using measure::testing::TraceScript;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// "app" is woken by "waker", which an interrupt woke, and waits 50 us behind "hog".
class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    TraceScript trace;
    trace.Name(7, "app").Name(8, "hog").Name(9, "waker");
    trace.Switch(0, 0, 0, "R", 7).Switch(0, 1, 0, "R", 9);
    trace.Switch(10'000, 0, 7, "S", 8).Switch(20'000, 1, 9, "S", 0);
    trace.Wake(30'000, 9).Switch(31'000, 1, 0, "R", 9).Wake(40'000, 7, 9);
    trace.Switch(90'000, 0, 8, "R+", 7).Switch(95'000, 0, 7, "D", 8).Wake(99'000, 7, 9);
    trace.Switch(100'000, 0, 8, "S", 7).Switch(110'000, 0, 7, "S", 0);
    capture = trace.Collect({.watcher = &watcher});
  }
  ReportWatcher watcher{3};
  measure::Capture capture;
};

TEST_F(ReportTest, TheLongestWaitHasItsHoldersAndTheChainOfItsWakers) {
  ASSERT_THAT(watcher.waits().for_cpu(), SizeIs(3));
  const WorstWait& worst = watcher.waits().for_cpu()[0];
  EXPECT_EQ(worst.thread, 7u);
  EXPECT_EQ(worst.length(), 50'000u);
  EXPECT_EQ(worst.cpu, 0u);
  ASSERT_THAT(worst.holders, SizeIs(1));
  EXPECT_EQ(worst.holders[0].thread, 8u);
  EXPECT_EQ(worst.holders[0].ns, 50'000u);
  ASSERT_THAT(worst.chain, SizeIs(2));
  EXPECT_EQ(worst.chain[0].waker, 9u);
  EXPECT_EQ(worst.chain[1].woken, 9u);
  EXPECT_EQ(worst.chain[1].waker, std::nullopt);
  ASSERT_THAT(watcher.waits().blocked(), SizeIs(1));
  EXPECT_EQ(watcher.waits().blocked()[0].length(), 4'000u);
}

TEST_F(ReportTest, WhatAllCpusDidAroundItIsKeptEvenIfItEndsLater) {
  bool runs_on_other = false;
  for (const Interval& interval : watcher.waits().for_cpu()[0].around) {
    runs_on_other = runs_on_other || (interval.cpu == 1 && interval.thread == 9);
  }
  EXPECT_TRUE(runs_on_other);
}

TEST_F(ReportTest, TextNamesWhoWaitedAndForWhom) {
  const std::string text = ReportText({capture, watcher, {"a note"}, 10});
  EXPECT_THAT(text, HasSubstr("note: a note"));
  EXPECT_THAT(text, HasSubstr("its CPU ran hog [8] 50.0us"));
  EXPECT_THAT(text, HasSubstr("woken by waker [9] <- interrupt"));
  EXPECT_THAT(text, HasSubstr("because of whom"));
  EXPECT_THAT(text, Not(HasSubstr("events were lost")));
}

TEST_F(ReportTest, TopLimitsTheTables) {
  const std::string text = ReportText({capture, watcher, {}, 1});
  const size_t table = text.find("busiest");
  const std::string rows = text.substr(table, text.find("\n\n", table) - table);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1) << rows;
}

TEST_F(ReportTest, JsonHasAllGroupsAndNoQuantilesOfAFew) {
  const std::string json = ReportJson({capture, watcher, {}, 1});
  EXPECT_THAT(json, HasSubstr(R"("schema":1)"));
  for (const char* name : {"app", "hog", "waker"}) {
    EXPECT_THAT(json, HasSubstr(std::string(R"({"process":")") + name));
  }
  EXPECT_THAT(json, HasSubstr(R"("p99_ns":null)"));
  EXPECT_THAT(json, HasSubstr(R"("other":"interrupt")"));
}

TEST(EmptyReportTest, NothingIsReportedOfNothing) {
  const ReportWatcher watcher(3);
  const measure::Capture capture;
  EXPECT_EQ(ReportText({capture, watcher, {}, 10}), ": 0.0 ms on 0 CPUs\n");
  EXPECT_THAT(ReportJson({capture, watcher, {}, 10}), HasSubstr(R"("groups":[])"));
}

TEST(PlainReportTest, OfPlainRecordsItIsTheSame) {
  TraceScript trace(TraceScript::kIndexed);
  std::mt19937_64 random(1);
  for (fxt::Koid koid = 1; koid <= 6; ++koid) trace.Name(koid, koid < 4 ? "app" : "server");
  std::vector<fxt::Koid> ready = {1, 2, 3};
  std::vector<fxt::Koid> asleep = {4, 5, 6};
  const auto take = [&](std::vector<fxt::Koid>& from) {
    std::swap(from[random() % from.size()], from.back());
    const fxt::Koid thread = from.back();
    from.pop_back();
    return thread;
  };
  fxt::Koid on_cpu[2] = {0, 0};
  uint64_t time = 1000;
  for (int i = 0; i < 3000; ++i) {
    time += 1 + random() % 5000;
    const auto cpu = static_cast<uint32_t>(random() % 2);
    const fxt::Koid left = on_cpu[cpu];
    if (!asleep.empty() && random() % 2 == 0) {
      ready.push_back(take(asleep));
      trace.Wake(time, ready.back(), left);
    }
    on_cpu[cpu] = ready.empty() ? 0 : take(ready);
    if (on_cpu[cpu] == left) continue;
    const bool sleeps = random() % 3 != 0;
    const char* state = random() % 20 == 0 ? "D" : "P";
    trace.Switch(time, cpu, left, sleeps ? state : "R", on_cpu[cpu]);
    if (left != 0) (sleeps ? asleep : ready).push_back(left);
  }
  ReportWatcher one(5);
  ReportWatcher other(5);
  uint64_t taken = 0;
  const measure::Capture all = trace.Collect({.watcher = &one});
  const measure::Capture plain = trace.CollectFastPath({.watcher = &other}, &taken);
  EXPECT_EQ(ReportJson({plain, other, {}}), ReportJson({all, one, {}}));
  EXPECT_GT(taken, 2000u);
}

}  // namespace
}  // namespace analyze
