// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/trimmer.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/show/overview.h"
#include "facts/record_kind.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/stack_id.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/collecting_sink.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/record_text.h"

namespace analyze {
namespace {

using fxt::testing::CollectingSink;
using fxt::testing::FileBuilder;
using testing::RecordingParts;

std::vector<uint64_t> Trim(std::span<const std::byte> bytes, TrimOptions options,
                           uint64_t* kept = nullptr) {
  CollectingSink sink;
  Trimmer trimmer(sink, std::move(options));
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) trimmer.Add(reader);
  EXPECT_TRUE(trimmer.Finish());
  if (kept != nullptr) *kept = trimmer.kept();
  return sink.words;
}

void ExpectSound(const std::vector<uint64_t>& words) {
  fxt::MemorySource source(std::as_bytes(std::span(words)));
  const CheckResult result = CheckTrace(source, {}, [&](const Finding& finding) {
    ADD_FAILURE() << finding.offset << " " << finding.rule << ": " << finding.message;
  });
  EXPECT_TRUE(result.clean());
}

Overview OverviewOf(const std::vector<uint64_t>& words) {
  fxt::MemorySource source(std::as_bytes(std::span(words)));
  fxt::Reader reader(source);
  return TakeOverview(reader);
}

TimeRange Range(uint64_t from, uint64_t to) { return {Moment{true, from}, Moment{true, to}}; }

TEST(TrimmerTest, KeepsAllUsedRecordsWithoutAFilter) {
  RecordingParts file = RecordingParts::Sound();
  uint64_t kept = 0;
  const auto words = Trim(file.Bytes(), {}, &kept);
  ExpectSound(words);
  fxt::MemorySource source(file.Bytes());
  fxt::Reader reader(source);
  const Overview before = TakeOverview(reader);
  const Overview after = OverviewOf(words);
  for (const facts::RecordKind kind :
       {facts::RecordKind::kSwitch, facts::RecordKind::kWakeup, facts::RecordKind::kLog,
        facts::RecordKind::kBlob, facts::RecordKind::kComplete, facts::RecordKind::kKernelObject,
        facts::RecordKind::kProviderEvent}) {
    EXPECT_EQ(after.of(kind).count, before.of(kind).count) << facts::NameOf(kind);
  }
  EXPECT_EQ(after.lost, before.lost);
  EXPECT_EQ(after.first_time, before.first_time);
  EXPECT_EQ(after.last_time, before.last_time);
  EXPECT_EQ(after.session, before.session);
}

TEST(TrimmerTest, WritesAValidTraceForEveryTimeRange) {
  RecordingParts file = RecordingParts::Sound();
  const auto bytes = file.Bytes();
  for (uint64_t from = 1'000'000'000; from <= 1'000'020'000; from += 1000) {
    for (uint64_t to = from; to <= 1'000'020'000; to += 3000) {
      TrimOptions options;
      options.filter.time = Range(from, to);
      const auto words = Trim(bytes, std::move(options));
      SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
      ExpectSound(words);
      const Overview summary = OverviewOf(words);
      if (summary.first_time) {
        // A complete event that ends in the range belongs to it.
        EXPECT_GE(*summary.last_time, from);
        EXPECT_LE(*summary.first_time, to);
      }
      if (HasFailure()) return;
    }
  }
}

TEST(TrimmerTest, OmitsUnneededNames) {
  RecordingParts file = RecordingParts::Sound();
  TrimOptions options;
  options.filter.time = Range(1'000'004'000, 1'000'004'000);
  uint64_t kept = 0;
  const auto words = Trim(file.Bytes(), std::move(options), &kept);
  EXPECT_EQ(kept, 1u);
  const Overview summary = OverviewOf(words);
  EXPECT_EQ(summary.of(facts::RecordKind::kBegin).count, 1u);
  EXPECT_EQ(summary.names->thread_name(testing::kApp), "app");
  EXPECT_EQ(summary.names->process_name(testing::kApp), "app");
  EXPECT_EQ(summary.names->thread(testing::kWorker), nullptr);
  EXPECT_EQ(summary.of(facts::RecordKind::kThread).count, 2u);  // app and the recorder's track
  EXPECT_LT(words.size() * 8, file.Bytes().size() * 2 / 3);
}

TEST(TrimmerTest, OmitsDurationEndsWithoutTheirBegin) {
  RecordingParts file = RecordingParts::Sound();
  TrimOptions options;
  options.filter.time = Range(1'000'005'000, 1'000'011'000);
  const Overview summary = OverviewOf(Trim(file.Bytes(), std::move(options)));
  EXPECT_EQ(summary.of(facts::RecordKind::kBegin).count, 0u);
  EXPECT_EQ(summary.of(facts::RecordKind::kEnd).count, 0u);
  EXPECT_EQ(summary.of(facts::RecordKind::kCounter).count, 1u);
}

TEST(TrimmerTest, FiltersThreadsProcessesAndCpus) {
  RecordingParts file = RecordingParts::Sound();
  const auto switches = [&](TrimOptions options) {
    const auto words = Trim(file.Bytes(), std::move(options));
    ExpectSound(words);
    return OverviewOf(words).of(facts::RecordKind::kSwitch).count;
  };
  TrimOptions thread;
  thread.filter.threads.Add("worker");
  thread.description = "--thread worker";
  EXPECT_EQ(switches(std::move(thread)), 5u);
  TrimOptions process;
  process.filter.processes.Add("app");
  process.description = "--process app";
  EXPECT_EQ(switches(std::move(process)), 6u);
  TrimOptions cpu;
  cpu.filter.cpus = {1};
  cpu.description = "--cpu 1";
  EXPECT_EQ(switches(std::move(cpu)), 2u);
}

TEST(TrimmerTest, RepeatsStatesWhereNeeded) {
  RecordingParts file = RecordingParts::Sound();
  // The state "D" was written at 1.000013; a later switch depends on it.
  const auto worker = fxt::ThreadRef::Inline(testing::kApp, testing::kWorker);
  const auto idle = fxt::ThreadRef::Inline(0, testing::kIdle0);
  file.Add("there", fxt::LegacyContextSwitch{1'000'020'000, 0, fxt::ThreadState::kNew, idle, worker,
                                             0, 100});
  file.Add("back", fxt::LegacyContextSwitch{1'000'021'000, 0, fxt::ThreadState::kBlocked, worker,
                                            idle, 100, 0});
  TrimOptions options;
  options.filter.time = Range(1'000'019'500, 1'000'022'000);
  const auto words = Trim(file.Bytes(), std::move(options));
  ExpectSound(words);
  fxt::MemorySource source(std::as_bytes(std::span(words)));
  fxt::Reader reader(source);
  facts::LinuxStateTracker states;
  std::vector<std::string> letters;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    states.Note(reader.record());
    if (const auto record = facts::AsSwitch(reader.record(), reader.provider())) {
      letters.emplace_back(states.Letters(record->outgoing.thread, record->outgoing_state));
    }
  }
  EXPECT_EQ(letters, (std::vector<std::string>{"R+", "D"}));
}

TEST(TrimmerTest, UsesTheDefinitionsValidAtTheTime) {
  FileBuilder file;
  file.Add(fxt::ProviderInfo{3, "other"}).Add(fxt::Initialization{1000});
  const auto instant = [](fxt::Ticks time) {
    return fxt::Event{fxt::EventType::kInstant,
                      time,
                      fxt::ThreadRef::Indexed(1),
                      {},
                      fxt::StringRef::Indexed(1),
                      {},
                      0};
  };
  file.Add(fxt::StringRecord{1, "first"}).Add(fxt::ThreadRecord{1, 10, 11}).Add(instant(1));
  file.Add(fxt::StringRecord{1, "second"}).Add(fxt::ThreadRecord{1, 20, 21});
  file.Add(fxt::StringRecord{1, "third"}).Add(instant(2)).Add(instant(3));
  file.Add(fxt::ProviderInfo{4, "another"}).Add(fxt::StringRecord{1, "fourth"});
  file.Add(fxt::ThreadRecord{1, 30, 31}).Add(instant(5'000'000)).Add(fxt::ProviderSection{3});
  file.Add(instant(6));
  TrimOptions options;
  options.filter.time = Range(2'000'000, 6'000'000);
  const auto words = Trim(file.bytes(), std::move(options));
  fxt::MemorySource source(std::as_bytes(std::span(words)));
  fxt::Reader reader(source);
  std::vector<std::string> texts;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (std::holds_alternative<fxt::Event>(reader.record())) {
      texts.push_back(fxt::testing::ToText(reader.record()));
    }
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"instant t=2 @1:20/21 '' #1'third' {}",
                                             "instant t=3 @1:20/21 '' #1'third' {}",
                                             "instant t=5000000 @1:30/31 '' #1'fourth' {}",
                                             "instant t=6 @1:20/21 '' #1'third' {}"}));
  EXPECT_EQ(reader.diagnostics().total(), 0u);
}

TEST(TrimmerTest, KeepsTheLastName) {
  RecordingParts file = RecordingParts::Sound();
  file.Add("rename", fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                       testing::kApp,
                                       fxt::StringRef::Inline("renamed"),
                                       {}});
  EXPECT_EQ(OverviewOf(Trim(file.Bytes(), {})).names->process_name(testing::kApp), "renamed");
}

// Perfetto nests instants of equal time on a track, and drops those deeper than 512.
TEST(TrimmerTest, KeepsSettingsOfAllTimes) {
  RecordingParts file = RecordingParts::Long(10);
  const Overview whole = [&] {
    fxt::MemorySource source(file.Bytes());
    fxt::Reader reader(source);
    return TakeOverview(reader);
  }();
  const uint64_t first = *whole.first_time;
  const uint64_t last = *whole.last_time;
  const auto settings = [](uint64_t time, int64_t value) {
    static std::array<fxt::Argument, 3> arguments;
    fxt::Argument& argument = arguments[static_cast<size_t>(value)];
    argument = {fxt::StringRef::Inline("vm.swappiness"), value};
    return fxt::Event{
        .type = fxt::EventType::kInstant,
        .timestamp = time,
        .thread = fxt::ThreadRef::Inline(schema::kRecorderProcessKoid, schema::RecorderKoid()),
        .category = fxt::StringRef::Inline(schema::category::kSettings),
        .name = fxt::StringRef::Inline("system"),
        .arguments = {&argument, 1}};
  };
  file.After("session", "early", fxt::Record(settings(first, 1)));
  file.Add("late", settings(last, 2));
  TrimOptions options;
  const uint64_t begin = first + (last - first) / 3;
  const uint64_t end = first + (last - first) / 2;
  options.filter.time = Range(begin, end);
  options.filter.threads.Add("no such thread");
  const auto words = Trim(file.Bytes(), std::move(options));
  ExpectSound(words);
  fxt::MemorySource source(std::as_bytes(std::span(words)));
  fxt::Reader reader(source);
  OverviewBuilder builder(true);
  while (reader.Next() == fxt::ReadStatus::kRecord) builder.Add(reader);
  const Overview part = builder.Finish(reader);
  ASSERT_EQ(part.settings.size(), 2U);
  EXPECT_EQ(part.settings[0].values.front().second, "1");
  EXPECT_EQ(part.settings[0].time, begin);
  EXPECT_EQ(part.settings[1].values.front().second, "2");
  EXPECT_EQ(part.settings[1].time, end);
}

TEST(TrimmerTest, SpreadsSymbolsBeforeTheBegin) {
  constexpr uint64_t kStart = 1'000'000'000;
  constexpr uint64_t kFrom = kStart + 10'000;
  constexpr int kSymbols = 3000;
  const auto track =
      fxt::ThreadRef::Inline(schema::kRecorderProcessKoid, schema::kRecorderProcessKoid);
  const fxt::Argument categories{fxt::StringRef::Inline("categories"),
                                 fxt::StringRef::Inline("sched process stack")};
  RecordingParts file = RecordingParts::Sound();
  file.Replace("session", fxt::Event{fxt::EventType::kInstant,
                                     kStart,
                                     track,
                                     fxt::StringRef::Inline(schema::kRecorderName),
                                     fxt::StringRef::Inline(schema::event::kSession),
                                     {&categories, 1},
                                     0});
  for (int i = 0; i < kSymbols; ++i) {
    const std::string function = "function" + std::to_string(i);
    const fxt::Argument arguments[] = {
        {fxt::StringRef::Inline(schema::symbol::kFunction), fxt::StringRef::Inline(function)},
        {fxt::StringRef::Inline(schema::symbol::kStart), fxt::PointerValue{~uint64_t{0} - 1000}},
        {fxt::StringRef::Inline(schema::symbol::kSize), uint64_t{16}}};
    file.Before("switch to app", function,
                fxt::Event{fxt::EventType::kInstant, kStart + 1 + static_cast<uint64_t>(i) / 10,
                           track, fxt::StringRef::Inline(schema::category::kStack),
                           fxt::StringRef::Inline(schema::symbol::kEvent), arguments, 0});
  }
  TrimOptions options;
  options.filter.time = Range(kFrom, kFrom + 100'000);
  const auto words = Trim(file.Bytes(), std::move(options));
  ExpectSound(words);

  fxt::MemorySource source(std::as_bytes(std::span(words)));
  fxt::Reader reader(source);
  std::map<uint64_t, int> by_time;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event != nullptr && event->name.text == schema::symbol::kEvent) ++by_time[event->timestamp];
  }
  int total = 0;
  for (const auto& [time, count] : by_time) {
    EXPECT_LE(count, 512) << time;
    EXPECT_LE(time, kFrom);
    EXPECT_GE(time + 1000, kFrom);
    total += count;
  }
  EXPECT_EQ(total, kSymbols);
}

}  // namespace
}  // namespace analyze
