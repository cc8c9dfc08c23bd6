// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace analyze
