// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/status_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TimedStatus Started(uint64_t time, uint64_t events, uint64_t cpu_time) {
  TimedStatus timed;
  timed.time = time;
  timed.status.state = control::SessionState::kStarted;
  timed.status.buffering_mode = request::BufferingMode::kCircular;
  timed.status.buffer_bytes = 16 << 20;
  timed.status.covered = 12'300'000'000;
  timed.status.started = 60'000'000'000;
  timed.status.events = events;
  timed.status.cpu_time = cpu_time;
  return timed;
}

TEST(StatusViewTest, ShowsRatesBetweenTwoStatuses) {
  const TimedStatus before = Started(1'000'000'000, 1000, 50'000'000);
  const TimedStatus now = Started(3'000'000'000, 5000, 70'000'000);
  const StatusRates rates = RatesBetween(before, now);
  ASSERT_TRUE(rates.known);
  EXPECT_DOUBLE_EQ(rates.events, 2000);
  EXPECT_DOUBLE_EQ(rates.cpu_percent, 1);
  EXPECT_EQ(StatusLine(now, &before),
            "STARTED CIRCULAR covers 12.30 s events 5,000 (2,000/s) lost 0 cpu 1.00%\n");
  EXPECT_THAT(StatusLines(now, &before), HasSubstr("5,000, 2,000 a second"));
  TimedStatus old = before;
  TimedStatus young = now;
  old.status.categories = {{"sched", 1000, 0}};
  young.status.categories = {{"sched", 4000, 7}, {"task", 5, 0}};
  EXPECT_THAT(StatusLines(young, &old), HasSubstr("sched: 4,000 events, 1,500 a second, 7 lost"));
  EXPECT_THAT(StatusLines(young, &old), HasSubstr("task: 5 events, 0 lost"));
  EXPECT_THAT(StatusLines(young, nullptr), HasSubstr("sched: 4,000 events, 7 lost"));
  // Another session.
  EXPECT_FALSE(RatesBetween(now, before).known);
  EXPECT_FALSE(RatesBetween(now, Started(4'000'000'000, 10, 0)).known);
}

TEST(StatusViewTest, ShowsNoShareOfTheCpuDirectlyAfterTheStart) {
  TimedStatus now = Started(3'000'000'000, 5000, 70'000'000);
  EXPECT_THAT(StatusLines(now, nullptr), HasSubstr("70.0 ms of CPU time, 0.12% of one CPU; "));
  now.status.started = 2'000'000;
  EXPECT_THAT(StatusLines(now, nullptr), HasSubstr("70.0 ms of CPU time; "));
}

TEST(StatusViewTest, ShowsTheMemoryOfUnwindTables) {
  TimedStatus now = Started(3'000'000'000, 5000, 70'000'000);
  EXPECT_THAT(StatusLines(now, nullptr), Not(HasSubstr("stacks")));
  now.status.unwind = {132, 3 << 20, 32 << 20, 7};
  EXPECT_THAT(StatusLines(now, nullptr), HasSubstr("stacks     unwind tables of 132 files, 3.0 MiB "
                                                   "(at most 32.0 MiB); 7 removed to free memory"));
}

TEST(StatusViewTest, ReportsThatThereIsNoSession) {
  const TimedStatus ready;
  EXPECT_EQ(StatusLine(ready, nullptr), "READY\n");
  EXPECT_THAT(StatusLines(ready, nullptr), HasSubstr("fxt-record start"));
}

TEST(StatusViewTest, EscapesControlCharactersInNames) {
  TimedStatus now = Started(1, 1, 1);
  now.status.reason = "disk\x1b[2J full";
  now.status.triggers.push_back({"log \x9b", 1, 2, 3});
  now.status.providers.push_back({1, 2, "a\nb"});
  for (const std::string& text : {StatusLines(now, nullptr), StatusLine(now, nullptr)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x9b")));
    EXPECT_THAT(text, Not(HasSubstr("a\nb")));
  }
}

}  // namespace
}  // namespace tools
