// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analyze/document/render.h"
#include "unit/measure/trace_script.h"

namespace analyze {
namespace {

using measure::testing::TraceScript;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::string Text(const Report& report) { return document::RenderText(ReportDocument(report)); }
std::string Json(const Report& report) { return document::RenderJson(ReportDocument(report)); }

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

TEST_F(ReportTest, LongestWaitHasHoldersAndChainOfWakers) {
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

TEST_F(ReportTest, LongestWaitKeepsIntervalsOfAllCpusThatEndLater) {
  bool runs_on_other = false;
  for (const Interval& interval : watcher.waits().for_cpu()[0].around) {
    runs_on_other = runs_on_other || (interval.cpu == 1 && interval.thread == 9);
  }
  EXPECT_TRUE(runs_on_other);
}

TEST_F(ReportTest, TextNamesWaiterHolderAndWakers) {
  const std::string text = Text({capture, watcher, {"a note"}, 10});
  EXPECT_THAT(text, HasSubstr("note: a note"));
  EXPECT_THAT(text, HasSubstr("its CPU ran hog [8] 50.0us"));
  EXPECT_THAT(text, HasSubstr("woken by waker [9] <- interrupt"));
  EXPECT_THAT(text, HasSubstr("causes of waits"));
  EXPECT_THAT(text, Not(HasSubstr("events were lost")));
}

TEST_F(ReportTest, TopLimitsTheTables) {
  const std::string text = Text({capture, watcher, {}, 1});
  const size_t table = text.find("busiest");
  const std::string rows = text.substr(table, text.find("\n\n", table) - table);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1) << rows;
}

TEST_F(ReportTest, JsonHasAllGroupsAndNoQuantileOfFewLengths) {
  const std::string json = Json({capture, watcher, {}, 1});
  EXPECT_THAT(json, HasSubstr(R"("schema":1)"));
  for (const char* name : {"app", "hog", "waker"}) {
    EXPECT_THAT(json, HasSubstr(std::string(R"({"process":")") + name));
  }
  EXPECT_THAT(json, HasSubstr(R"("p99_ns":null)"));
  EXPECT_THAT(json, HasSubstr(R"("other":"interrupt")"));
}

TEST(EmptyReportTest, EmptyCaptureHasHeadOnly) {
  const ReportWatcher watcher(3);
  const measure::Capture capture;
  EXPECT_EQ(Text({capture, watcher, {}, 10}), ": 0.0 ms on 0 CPUs\n");
  EXPECT_THAT(Json({capture, watcher, {}, 10}), HasSubstr(R"("groups":[])"));
}

TEST(FastPathReportTest, EqualsReportOfGeneralPath) {
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
  EXPECT_EQ(Json({plain, other, {}}), Json({all, one, {}}));
  EXPECT_GT(taken, 2000u);
}

// A capture of a second, with one run that its edge cuts.
measure::Capture OneSecond() {
  measure::Capture capture;
  capture.end = 1'000'000'000;
  capture.groups.resize(2);
  capture.groups[0].name.process = "app";
  capture.groups[0].of(measure::Duration::kSlice).cut.Add(1000);
  capture.groups[0].share_ns[static_cast<size_t>(facts::Share::kRunning)] = 1000;
  return capture;
}

std::string TextOf(const measure::Capture& capture) {
  const ReportWatcher watcher(3);
  return Text({capture, watcher, {}, 10});
}

TEST(ReportTextTest, ShowsFiguresOfDistributionsWithEnoughLengths) {
  measure::Capture capture = OneSecond();
  measure::Distribution& slice = capture.groups[0].of(measure::Duration::kSlice);
  EXPECT_THAT(TextOf(capture), HasSubstr("|       -       -       -       -       -       -\n"));
  slice.AddWhole({0, 1000, 1, 0});
  // The length itself, not the middle of its bucket.
  EXPECT_THAT(TextOf(capture), HasSubstr("|  1.00us  1.00us       -  1.00us       -  1.00us\n"));
  for (uint64_t i = 1; i < kCountForP99; ++i) slice.AddWhole({i, 3000, 1, 0});
  EXPECT_THAT(TextOf(capture), HasSubstr("|  1.00us  2.99us   141ns  2.99us  2.99us  3.00us\n"));
}

TEST(ReportTextTest, HasABarForEachPowerOfTwoOfLatency) {
  using measure::Duration;
  measure::Capture capture = OneSecond();
  EXPECT_THAT(TextOf(capture), Not(HasSubstr("how long threads waited")));
  capture.groups[0].of(Duration::kWakeupLatency).whole.Add(1024, 30);
  capture.groups[0].of(Duration::kPreemptedWait).whole.Add(2047, 10);
  capture.groups[1].of(Duration::kWakeupLatency).whole.Add(4096, 20);
  capture.groups[1].of(Duration::kSleep).whole.Add(1 << 20, 1000);
  const std::string text = TextOf(capture);
  EXPECT_THAT(text, HasSubstr("\n\nhow long threads waited for a CPU\n  from 1.02us         40  |" +
                              std::string(40, '*') + "|\n  from 2.05us          0  |" +
                              std::string(40, ' ') + "|\n  from 4.10us         20  |" +
                              std::string(20, '*') + std::string(20, ' ') + "|\n\n"));
}

TEST(ReportTextTest, HasABarForAnyLatency) {
  measure::Capture capture = OneSecond();
  for (const uint64_t length : {uint64_t{0}, UINT64_MAX}) {
    capture.groups[0].of(measure::Duration::kWakeupLatency).whole.Add(length);
  }
  const std::string text = TextOf(capture);
  size_t bars = 0;
  for (size_t at = text.find("  from "); at != std::string::npos;
       at = text.find("  from ", at + 1)) {
    ++bars;
  }
  EXPECT_EQ(bars, 65u);
}

}  // namespace
}  // namespace analyze
