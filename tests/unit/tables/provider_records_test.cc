// SPDX-License-Identifier: BSD-2-Clause
// A provider cannot forge facts of the kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "analyze/show/overview.h"
#include "facts/read_loop.h"
#include "measure/collect/collector.h"
#include "schema/names.h"
#include "tables/rows/schema.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

using fxt::StringRef;
using fxt::ThreadRef;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RowsOf;

class ProviderRecordsTest : public ::testing::Test {
 protected:
  // The recorder's records of two threads on a CPU. Behind each of them `between` may add others.
  template <typename Between>
  static void Record(fxt::testing::FileBuilder& file, Between&& between) {
    file.Add(fxt::ProviderInfo{1, schema::kRecorderName}).Add(fxt::ProviderSection{1});
    file.Add(fxt::Initialization{1'000'000'000});
    file.Add(fxt::ProviderInfo{2, "app"}).Add(fxt::ProviderSection{2});
    file.Add(fxt::Initialization{1'000'000'000}).Add(fxt::ProviderSection{1});
    Instant(file, 1000, 0, schema::kRecorderName, schema::event::kSession, {});
    for (const fxt::Koid koid : {7, 8}) {
      const fxt::Argument process{StringRef::Inline("process"), fxt::KoidValue{koid}};
      Object(file, fxt::KernelObjectType::kProcess, koid, "real", {});
      Object(file, fxt::KernelObjectType::kThread, koid, "real", {&process, 1});
    }
    Settings(file, 1000, 8);
    for (uint64_t time = 2000; time < 3000; time += 100) {
      const fxt::Argument waker{StringRef::Inline("waker"), fxt::KoidValue{7}};
      Switch(file, time, 7, 8);
      between(file, time + 10);
      Switch(file, time + 50, 8, 7);
      Span(file, time + 60, "syscall", "read");
      file.Add(fxt::ThreadWakeup{time + 80, 0, 8, {&waker, 1}});
      between(file, time + 85);
    }
  }
  static void Switch(fxt::testing::FileBuilder& file, uint64_t time, fxt::Koid out, fxt::Koid in) {
    file.Add(fxt::LegacyContextSwitch{.timestamp = time,
                                      .cpu = 0,
                                      .outgoing_state = fxt::ThreadState::kBlocked,
                                      .outgoing = ThreadRef::Inline(out, out),
                                      .incoming = ThreadRef::Inline(in, in),
                                      .outgoing_priority = 120,
                                      .incoming_priority = 120});
  }
  static void Object(fxt::testing::FileBuilder& file, fxt::KernelObjectType type, fxt::Koid koid,
                     std::string_view name, std::span<const fxt::Argument> arguments) {
    file.Add(
        fxt::KernelObject{static_cast<uint8_t>(type), koid, StringRef::Inline(name), arguments});
  }
  static void Event(fxt::testing::FileBuilder& file, fxt::EventType type, uint64_t time,
                    fxt::Koid thread, std::string_view category, std::string_view name,
                    std::span<const fxt::Argument> arguments, uint64_t payload = 0) {
    file.Add(fxt::Event{.type = type,
                        .timestamp = time,
                        .thread = ThreadRef::Inline(thread, thread),
                        .category = StringRef::Inline(category),
                        .name = StringRef::Inline(name),
                        .arguments = arguments,
                        .payload = payload});
  }
  static void Instant(fxt::testing::FileBuilder& file, uint64_t time, fxt::Koid thread,
                      std::string_view category, std::string_view name,
                      std::span<const fxt::Argument> arguments) {
    Event(file, fxt::EventType::kInstant, time, thread, category, name, arguments);
  }
  static void Span(fxt::testing::FileBuilder& file, uint64_t time, std::string_view category,
                   std::string_view name) {
    Event(file, fxt::EventType::kDurationBegin, time, 7, category, name, {});
    Event(file, fxt::EventType::kDurationEnd, time + 5, 7, category, name, {});
  }

  static void Settings(fxt::testing::FileBuilder& file, uint64_t time, int64_t nice) {
    const std::array arguments = {
        fxt::Argument{StringRef::Inline("subject"), StringRef::Inline("real")},
        fxt::Argument{StringRef::Inline("process"), fxt::KoidValue{7}},
        fxt::Argument{StringRef::Inline("nice"), nice}};
    Instant(file, time, 8, schema::category::kSettings, "process", arguments);
  }

  // Records of provider 2 that look like the kernel's.
  static void Forge(fxt::testing::FileBuilder& file, uint64_t time) {
    file.Add(fxt::ProviderSection{2});
    Object(file, fxt::KernelObjectType::kThread, 7, "forged", {});
    Object(file, fxt::KernelObjectType::kProcess, 7, "forged", {});
    Switch(file, time, 8, 9);
    Switch(file, time, 9, 8);
    file.Add(fxt::ThreadWakeup{time, 0, 7, {}});
    for (const std::string_view category : {"syscall", "irq", "softirq"}) {
      Span(file, time, category, "forged");
    }
    const fxt::Argument state{StringRef::Inline("state"), StringRef::Inline("D")};
    Instant(file, time, 8, "sched", "linux_state", {&state, 1});
    const std::array unseen = {fxt::Argument{StringRef::Inline("cpu"), int32_t{0}}};
    Instant(file, time, 8, schema::kRecorderName, "unseen_switch", unseen);
    const fxt::Argument filters{StringRef::Inline("filters"), StringRef::Inline("pid 1")};
    Instant(file, time, 8, schema::kRecorderName, "session", {&filters, 1});
    Settings(file, time, 19);
    const fxt::Argument child{StringRef::Inline("child"), fxt::KoidValue{77}};
    Instant(file, time, 8, "task", "fork", {&child, 1});
    const fxt::Argument count{StringRef::Inline("cycles"), uint64_t{1'000'000}};
    Event(file, fxt::EventType::kCounter, time, 8, "counter", "run", {&count, 1});
    Event(file, fxt::EventType::kDurationEnd, time, 7, "syscall", "read", {});
    file.Add(fxt::ProviderEvent{2, fxt::kProviderEventBufferFilledUp});
    file.Add(fxt::ProviderSection{1});
  }
  static constexpr auto kHonest = [](fxt::testing::FileBuilder&, uint64_t) {};

  static measure::Capture Collect(fxt::testing::FileBuilder& file) {
    fxt::MemorySource source(file.bytes());
    fxt::Reader reader(source);
    measure::Collector collector;
    facts::ReadRecords(reader, collector);
    return collector.Finish();
  }
  static analyze::Overview Overview(fxt::testing::FileBuilder& file) {
    fxt::MemorySource source(file.bytes());
    fxt::Reader reader(source);
    return analyze::TakeOverview(reader);
  }
};

TEST_F(ProviderRecordsTest, FactsAreThoseOfTheKernelsSection) {
  fxt::testing::FileBuilder honest;
  Record(honest, kHonest);
  fxt::testing::FileBuilder forged;
  Record(forged, Forge);
  EXPECT_TRUE(Collect(forged) == Collect(honest));
  for (const Table table : {Table::kSlices, Table::kIdle, Table::kWaits, Table::kWakeups,
                            Table::kCpus, Table::kProcesses, Table::kSettings}) {
    uint64_t columns = (uint64_t{1} << InfoOf(table).columns.size()) - 1;
    // A provider's own events are a sign of life of its threads.
    if (table == Table::kProcesses) columns = uint64_t{1} << processes::kName;
    EXPECT_EQ(RowsOf(forged.bytes(), table, columns), RowsOf(honest.bytes(), table, columns))
        << InfoOf(table).name;
  }
  EXPECT_THAT(RowsOf(forged.bytes(), Table::kSettings,
                     {settings::kScope, settings::kSubject, settings::kPid, settings::kName,
                      settings::kValue}),
              ElementsAre("process real 7 nice 8"));
}

TEST_F(ProviderRecordsTest, OverviewCountsTheKernelsAlone) {
  fxt::testing::FileBuilder honest;
  Record(honest, kHonest);
  fxt::testing::FileBuilder forged;
  Record(forged, Forge);
  const analyze::Overview expected = Overview(honest);
  const analyze::Overview overview = Overview(forged);
  EXPECT_EQ(overview.window_ns, expected.window_ns);
  EXPECT_EQ(overview.unseen_switches, 0u);
  EXPECT_EQ(overview.session, expected.session);
  EXPECT_TRUE(overview.counted.empty());
  ASSERT_EQ(overview.cpus.size(), expected.cpus.size());
  EXPECT_EQ(overview.cpus.at(0).busy_ns, expected.cpus.at(0).busy_ns);
  EXPECT_EQ(overview.cpus.at(0).switches, expected.cpus.at(0).switches);
  EXPECT_EQ(overview.cpus.at(0).wakeups, expected.cpus.at(0).wakeups);
  EXPECT_EQ(overview.names->thread_name(7), "real");
}

// They stay in the tables of events, under the name of the provider.
TEST_F(ProviderRecordsTest, EventsHaveTheirProvider) {
  fxt::testing::FileBuilder file;
  Record(file, Forge);
  const auto spans =
      RowsOf(file.bytes(), Table::kSpans, {spans::kName, spans::kDur, spans::kProvider});
  EXPECT_THAT(spans, Contains("5 forged app"));
  EXPECT_THAT(spans, Contains("5 read fxt-record"));
  // The end of a provider's span is none of the kernel's.
  EXPECT_THAT(spans, Contains("NULL read app"));
  EXPECT_THAT(spans, Not(Contains("NULL read fxt-record")));
  const auto losses = RowsOf(file.bytes(), Table::kLosses, {losses::kKind, losses::kProvider});
  EXPECT_THAT(losses, Contains("buffer_full app"));
  EXPECT_THAT(losses, Not(Contains(HasSubstr("unseen_switch"))));
  EXPECT_THAT(RowsOf(file.bytes(), Table::kInstants, {instants::kName, instants::kProvider}),
              Contains("fork app"));
  EXPECT_THAT(RowsOf(file.bytes(), Table::kCounters, {counters::kSeries, counters::kProvider}),
              Contains("cycles app"));
}

// A trace that another recorder made has its facts in sections of any name.
TEST_F(ProviderRecordsTest, TracesOfOtherRecordersHaveFactsInAnySection) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::ProviderInfo{5, "ktrace"}).Add(fxt::ProviderSection{5});
  file.Add(fxt::Initialization{1'000'000'000});
  Switch(file, 100, 7, 8);
  Switch(file, 200, 8, 7);
  EXPECT_EQ(RowsOf(file.bytes(), Table::kSlices, {slices::kTs, slices::kLength}).size(), 3u);
}

}  // namespace
}  // namespace tables
