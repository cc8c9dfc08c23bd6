// SPDX-License-Identifier: BSD-2-Clause
#include "tables/fact_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

using measure::testing::TraceScript;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RowsOf;

// 10 runs from 100 on, is preempted by 20 at 300, runs again at 400, sleeps at 500, is woken by 20
// at 600 and runs at 700 up to the end.
void Fill(TraceScript& script) {
  script.Process(10, "app").Thread(10, "worker", 10).Name(20, "other");
  script.Switch(100, 0, 0, "S", 10).Switch(300, 0, 10, "R+", 20).Switch(400, 0, 20, "R+", 10);
  script.Switch(500, 0, 10, "S", 20).Wake(600, 10, 20).Switch(700, 0, 20, "S", 10);
  script.Switch(900, 0, 10, "S", 0);
}

TEST(FactRowsTest, SlicesAreRunsOfThreads) {
  using namespace slices;
  TraceScript script;
  Fill(script);
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices,
                     {kTs, kDur, kCpu, kTid, kPid, kThread, kProcess, kPriority, kEndState}),
              ElementsAre("100 200 0 10 10 worker app 120 R+", "300 100 0 20 20 other other 120 R+",
                          "400 100 0 10 10 worker app 120 S", "500 200 0 20 20 other other 120 S",
                          "700 200 0 10 10 worker app 120 S"));
}

TEST(FactRowsTest, WaitsNameTheThreadTheyWaitFor) {
  using namespace waits;
  TraceScript script;
  Fill(script);
  RowFilter filter;
  filter.tid = 10;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kWaits,
             {kTs, kDur, kKind, kCpu, kWaker, kPreemptor, kState, kLength}, filter),
      ElementsAre("300 100 preempted 0 NULL other R+ 100", "500 100 sleep 0 other NULL S 100",
                  "600 100 wakeup 0 other NULL NULL 100", "900 NULL sleep NULL NULL NULL S 0"));
}

TEST(FactRowsTest, CutRowsHaveNoDuration) {
  TraceScript script;
  script.Switch(100, 0, 10, "S", 20).Switch(300, 1, 30, "S", 0);
  using namespace slices;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices, {kTs, kDur, kTid, kLength, kBegan, kEnded}),
              ElementsAre("100 NULL 10 0 edge seen", "100 NULL 30 200 edge seen",
                          "100 NULL 20 200 seen edge"));
  EXPECT_THAT(RowsOf(script.bytes(), Table::kIdle, {idle::kTs, idle::kDur, idle::kCpu}),
              ElementsAre("300 NULL 1"));
}

TEST(FactRowsTest, ANumberThatIsUsedAgainHasAKoidOfItsOwn) {
  TraceScript script;
  const fxt::Koid again = schema::MakeKoid(10, 1);
  script.Name(10, "first").Switch(100, 0, 0, "S", 10).Switch(200, 0, 10, "X", 0);
  script.Name(again, "second").Switch(300, 0, 0, "S", again).Switch(400, 0, again, "X", 0);
  using namespace slices;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices, {kTid, kPid, kThread, kKoid}),
              ElementsAre("10 10 first 10", "10 10 second " + std::to_string(again)));
}

TEST(FactRowsTest, NamesAreThoseOfTheTime) {
  TraceScript script;
  script.Name(10, "sh").Switch(100, 0, 0, "S", 10).Switch(200, 0, 10, "R+", 20);
  script.Name(10, "ls").Switch(300, 0, 20, "S", 10).Switch(400, 0, 10, "S", 0);
  RowFilter filter;
  filter.tid = 10;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices, {slices::kThread, slices::kProcess}, filter),
              ElementsAre("sh sh", "ls ls"));
}

// With stacks, the function that a thread in D waited in is recorded when it runs again.
TEST(FactRowsTest, AWaitThatIsKeptForItsReasonHasTheNamesOfItsTime) {
  TraceScript script;
  script.Session(10, {{TraceScript::Text("categories"), TraceScript::Text("sched,stack")}});
  script.Name(10, "worker").Name(20, "sh").Switch(100, 0, 0, "S", 10).Switch(200, 0, 10, "D", 20);
  script.Wake(300, 10, 20).Name(20, "sleep").Switch(400, 0, 20, "S", 10).Switch(500, 0, 10, "S", 0);
  using namespace waits;
  RowFilter filter;
  filter.tid = 10;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kWaits, {kTs, kDur, kKind, kThread, kWaker, kReason}, filter),
      Contains("200 100 blocked worker sh NULL"));
}

// The wait and its object, for a thread that sleeps in `state`.
std::vector<std::string> WaitWithObject(std::string_view state) {
  TraceScript script;
  script.Session(10, {{TraceScript::Text("categories"), TraceScript::Text("sched,stack,wait")}});
  script.Name(10, "worker").Switch(100, 0, 0, "S", 10).Switch(200, 0, 10, state, 20);
  script.Instant(300, 10, "wait", "waited",
                 {{TraceScript::Text("syscall"), TraceScript::Text("futex")},
                  {TraceScript::Text("asked"), uint64_t{77}}});
  script.Wake(300, 10, 20).Switch(400, 0, 20, "S", 10).Switch(500, 0, 10, "S", 0);
  using namespace waits;
  RowFilter filter;
  filter.tid = 10;
  return RowsOf(script.bytes(), Table::kWaits,
                {kTs, kKind, kReason, kVia, kThrottledBy, kSyscall, kObjectKind, kPeer, kAsked},
                filter);
}

TEST(FactRowsTest, TheObjectOfAWaitHasColumnsOfItsOwn) {
  EXPECT_THAT(WaitWithObject("S"), Contains("200 sleep NULL NULL NULL futex NULL NULL 77"));
  EXPECT_THAT(WaitWithObject("D"), Contains("200 blocked NULL NULL NULL futex NULL NULL 77"));
}

TEST(FactRowsTest, ALossEndsARun) {
  TraceScript script;
  script.Switch(100, 0, 0, "S", 10).Loss(200, 0, 7).Switch(400, 0, 20, "S", 0);
  using namespace slices;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices, {kTs, kDur, kTid, kBegan, kEnded}),
              ElementsAre("100 100 10 seen loss", "400 0 20 loss seen"));
  using namespace cpus;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kCpus, {cpus::kCpu, kBusyNs, kUnknownNs}),
              ElementsAre("0 100 200"));
}

TEST(FactRowsTest, WakeupsNeedNoTimeline) {
  TraceScript script;
  Fill(script);
  script.Wake(950, 20).Wake(960, 30, 10, 3);
  using namespace wakeups;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kWakeups, {kTs, kCpu, kTid, kWakerTid, kThread, kWaker}),
      ElementsAre("600 0 10 20 worker other", "950 0 20 NULL other NULL",
                  "960 3 30 10 NULL worker"));
  RowFilter filter;
  filter.cpu = 3;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kWakeups, {kTid}, filter), ElementsAre("30"));
}

TEST(FactRowsTest, FiltersChooseRows) {
  TraceScript script;
  Fill(script);
  RowFilter filter;
  filter.from = 300;
  filter.to = 400;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices, {slices::kTs}, filter),
              ElementsAre("300", "400"));
  filter.cpu = 1;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSlices, {slices::kTs}, filter), IsEmpty());
}

TEST(FactRowsTest, OneThatBeganInTimeIsWaitedFor) {
  TraceScript script;
  script.Switch(100, 0, 0, "S", 10).Switch(100, 1, 0, "S", 20);
  for (uint64_t time = 200; time < 1'000'000; time += 100) {
    script.Switch(time, 1, 20, "R", 20);
  }
  script.Switch(1'000'000, 0, 10, "S", 0);
  RowFilter filter;
  filter.to = 150;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kSlices, {slices::kTs, slices::kDur, slices::kCpu}, filter),
      ElementsAre("100 100 1", "100 999900 0"));
}

TEST(FactRowsTest, TheThreadBeforeTheFirstSwitchOfACpuIsWaitedFor) {
  TraceScript script;
  script.Session(50);
  for (uint64_t time = 100; time < 1'000'000; time += 100) script.Switch(time, 0, 20, "R", 20);
  script.Switch(1'000'000, 1, 10, "S", 0);
  RowFilter filter;
  filter.to = 75;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kSlices, {slices::kTs, slices::kTid, slices::kLength}, filter),
      ElementsAre("50 20 50", "50 10 999950"));
}

}  // namespace
}  // namespace tables
