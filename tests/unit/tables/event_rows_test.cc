// SPDX-License-Identifier: BSD-2-Clause
#include "tables/event_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "branches/last_branch.h"
#include "schema/koid.h"
#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

using measure::testing::TraceScript;
using ::testing::ElementsAre;
using testing::RowsOf;

TEST(EventRowsTest, SpansHaveBeginAndLength) {
  TraceScript script;
  script.Begin(100, 10, "a", "outer").Begin(200, 10, "a", "inner").Begin(250, 20, "b", "open");
  script.End(300, 10, "a", "inner").End(500, 10, "a", "outer").End(600, 10, "a", "before");
  using namespace spans;
  EXPECT_THAT(RowsOf(script.bytes(), Table::kSpans, {kTs, kDur, kCategory, kName, kTid}),
              ElementsAre("200 100 a inner 10", "100 400 a outer 10", "100 NULL a before 10",
                          "250 NULL b open 20"));
}

TEST(EventRowsTest, OperationsAreDistinguishedByTheirIds) {
  fxt::testing::FileBuilder file;
  const auto add = [&](fxt::EventType type, uint64_t time, uint64_t id, int32_t value) {
    const fxt::Argument argument{TraceScript::Text("v"), value};
    file.Add(fxt::Event{.type = type,
                        .timestamp = time,
                        .thread = fxt::ThreadRef::Inline(1, 2),
                        .category = TraceScript::Text("c"),
                        .name = TraceScript::Text("n"),
                        .arguments = {&argument, 1},
                        .payload = id});
  };
  add(fxt::EventType::kAsyncBegin, 100, 1, 10);
  add(fxt::EventType::kAsyncBegin, 150, 2, 20);
  add(fxt::EventType::kAsyncInstant, 160, 2, 25);
  add(fxt::EventType::kAsyncEnd, 200, 1, 30);
  add(fxt::EventType::kAsyncEnd, 300, 2, 40);
  add(fxt::EventType::kDurationComplete, 400, 450, 50);
  add(fxt::EventType::kCounter, 500, 7, -60);
  using namespace spans;
  EXPECT_THAT(RowsOf(file.bytes(), Table::kSpans, {kTs, kDur, kTid, kArgs, kId}),
              ElementsAre("100 100 2 {\"v\":10,\"v\":30} 1", "150 150 2 {\"v\":20,\"v\":40} 2",
                          "400 50 2 {\"v\":50} NULL"));
  EXPECT_THAT(
      RowsOf(file.bytes(), Table::kInstants, {instants::kTs, instants::kArgs, instants::kId}),
      ElementsAre("160 {\"v\":25} 2"));
  EXPECT_THAT(RowsOf(file.bytes(), Table::kCounters,
                     {counters::kName, counters::kSeries, counters::kValue, counters::kId}),
              ElementsAre("n v -60 7"));
}

TEST(EventRowsTest, ThreadsThatAreNoneOfTheSystemStayApart) {
  fxt::testing::FileBuilder file;
  for (const uint64_t thread : {uint64_t{1} << 63 | 1, uint64_t{1} << 63 | 2, UINT64_MAX}) {
    file.Add(fxt::Event{.type = fxt::EventType::kAsyncInstant,
                        .timestamp = 100,
                        .thread = fxt::ThreadRef::Inline(1, thread),
                        .category = TraceScript::Text("c"),
                        .name = TraceScript::Text("n"),
                        .arguments = {},
                        .payload = thread});
  }
  using namespace instants;
  EXPECT_THAT(
      RowsOf(file.bytes(), Table::kInstants, {kTid, kId, kKoid}),
      ElementsAre("-9223372036854775807 -9223372036854775807 -9223372036854775807",
                  "-9223372036854775806 -9223372036854775806 -9223372036854775806", "-1 -1 -1"));
  RowFilter filter;
  filter.tid = -1;
  EXPECT_THAT(RowsOf(file.bytes(), Table::kInstants, {kTid}, filter), ElementsAre("-1"));
  EXPECT_THAT(RowsOf(file.bytes(), Table::kThreads, {threads::kTid}, filter), ElementsAre("-1"));
}

// Traces of other programs, which may have the process of a thread only in its thread record, or in
// events.
TEST(EventRowsTest, ProcessesAreTheSameWithAnyOtherTables) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::ThreadRecord{1, 100, 10});
  file.Add(fxt::ThreadWakeup{50, 0, 10, {}});
  file.Add(fxt::Log{60, fxt::ThreadRef::Inline(200, 20), "x"});
  file.Add(fxt::Log{70, fxt::ThreadRef::Inline(300, 20), "y"});
  file.Add(fxt::ThreadRecord{2, 400, 30});
  EXPECT_THAT(RowsOf(file.bytes(), Table::kThreads, {threads::kTid, threads::kPid}),
              ElementsAre("10 100"));
  fxt::MemorySource source(file.bytes());
  TextPool texts;
  Scan scan("trace.fxt", source, texts);
  scan.Want(Table::kThreads, kAllColumns);
  scan.Want(Table::kWakeups, uint64_t{1} << wakeups::kPid);
  scan.Want(Table::kLogs, uint64_t{1} << logs::kPid);
  size_t rows = 0;
  while (scan.Advance()) {
    if (scan.rows(Table::kLogs)->size() == 0) continue;
    rows += scan.rows(Table::kLogs)->size();
    EXPECT_EQ(testing::TextOf(*scan.rows(Table::kWakeups)->row(0)), "100");
    EXPECT_EQ(testing::TextOf(*scan.rows(Table::kLogs)->row(0)), "200");
    EXPECT_EQ(testing::TextOf(*scan.rows(Table::kLogs)->row(1)), "300");
  }
  EXPECT_EQ(rows, 2u);
  EXPECT_THAT(RowsOf(file.bytes(), Table::kWakeups, {wakeups::kPid}), ElementsAre("100"));
  EXPECT_THAT(RowsOf(file.bytes(), Table::kLogs, {logs::kPid}), ElementsAre("200", "300"));
}

TEST(EventRowsTest, ACounterOfNoNumberIsNull) {
  fxt::testing::FileBuilder file;
  const fxt::Argument series[] = {{TraceScript::Text("nan"), std::nan("")},
                                  {TraceScript::Text("text"), TraceScript::Text("1")},
                                  {TraceScript::Text("number"), 0.5}};
  file.Add(fxt::Event{.type = fxt::EventType::kCounter,
                      .timestamp = 100,
                      .thread = fxt::ThreadRef::Inline(1, 2),
                      .category = TraceScript::Text("c"),
                      .name = TraceScript::Text("n"),
                      .arguments = series,
                      .payload = 7});
  using namespace counters;
  EXPECT_THAT(RowsOf(file.bytes(), Table::kCounters, {kSeries, kValue}),
              ElementsAre("nan NULL", "text NULL", "number 0.5"));
}

TEST(EventRowsTest, ThreadsOfProcessZeroAreNoIdleThreads) {
  fxt::testing::FileBuilder file;
  for (const fxt::Koid thread : {fxt::Koid{0}, fxt::Koid{5}, schema::IdleKoid(1)}) {
    file.Add(fxt::Event{.type = fxt::EventType::kInstant,
                        .timestamp = 100,
                        .thread = fxt::ThreadRef::Inline(0, thread),
                        .category = TraceScript::Text("c"),
                        .name = TraceScript::Text("n"),
                        .arguments = {},
                        .payload = 0});
  }
  EXPECT_THAT(RowsOf(file.bytes(), Table::kThreads, {threads::kTid, threads::kPid}),
              ElementsAre("0 0", "5 0"));
}

TEST(EventRowsTest, LossesHaveCountAndCategory) {
  TraceScript script;
  script.Session(50).Loss(100, 1, 7).Loss(200, -1, 5).Unseen(300, 0);
  using namespace losses;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kLosses, {kTs, kKind, kCpu, kCategory, kCount}),
      ElementsAre("100 lost 1 sched 7", "200 lost NULL sched 5", "300 unseen_switch 0 sched NULL"));
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kCaptures, {captures::kLostEvents, captures::kUnseenSwitches}),
      ElementsAre("12 1"));
}

TEST(EventRowsTest, TextsAreClean) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::Log{100, fxt::ThreadRef::Inline(1, 2), "a\nb\x1b\xff"});
  EXPECT_THAT(RowsOf(file.bytes(), Table::kLogs, {logs::kTs, logs::kMessage}),
              ElementsAre("100 a\\u000ab\\u001b\\xff"));
}

TEST(EventRowsTest, BlobsHaveTheTimeBeforeThem) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::Log{100, fxt::ThreadRef::Inline(1, 2), "x"});
  const std::array<std::byte, 24> payload{};
  file.Add(fxt::Blob{TraceScript::Text("b"), 1, payload});
  EXPECT_THAT(
      RowsOf(file.bytes(), Table::kBlobs, {blobs::kTs, blobs::kName, blobs::kType, blobs::kBytes}),
      ElementsAre("100 b data 24"));
}

TEST(EventRowsTest, BlobsWithATimeHaveTheirOwn) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::Log{500, fxt::ThreadRef::Inline(1, 2), "x"});
  branches::LastBranchHead head;
  head.cpu = 3;
  head.time = 600;
  file.Add(fxt::Blob{TraceScript::Text("lbr"), static_cast<uint8_t>(fxt::BlobType::kLastBranch),
                     std::as_bytes(std::span(&head, 1))});
  file.Add(fxt::Blob{TraceScript::Text("none"), 1, {}});
  fxt::LargeBlobWithMetadata large;
  large.name = TraceScript::Text("large");
  large.timestamp = 400;
  large.thread = fxt::ThreadRef::Inline(1, 2);
  file.Add(large);
  EXPECT_THAT(RowsOf(file.bytes(), Table::kBlobs, {blobs::kTs, blobs::kName, blobs::kCpu}),
              ElementsAre("600 lbr 3", "600 none NULL", "400 large NULL"));
}

}  // namespace
}  // namespace tables
