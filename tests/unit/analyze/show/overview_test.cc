// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/overview.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "analyze/show/overview_report.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using testing::RecordingParts;

Overview OverviewOf(std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  return TakeOverview(reader);
}

TEST(OverviewTest, CountsTheContentsOfARecording) {
  RecordingParts file = RecordingParts::Sound();
  const auto bytes = file.Bytes();
  const Overview overview = OverviewOf(bytes);
  EXPECT_EQ(overview.bytes, bytes.size());
  EXPECT_EQ(overview.of(facts::RecordKind::kSwitch).count, 6u);
  EXPECT_EQ(overview.of(facts::RecordKind::kWakeup).count, 1u);
  EXPECT_EQ(overview.of(facts::RecordKind::kLog).count, 1u);
  EXPECT_EQ(overview.of(facts::RecordKind::kInstant).count, 5u);
  EXPECT_EQ(overview.events(), 14u);
  uint64_t records = 0;
  uint64_t kind_bytes = 0;
  for (const Counted& kind : overview.kinds) {
    records += kind.count;
    kind_bytes += kind.bytes;
  }
  EXPECT_EQ(records, overview.records);
  EXPECT_EQ(kind_bytes, bytes.size());

  // From the first switch to the last; the session's own time does not count.
  EXPECT_EQ(overview.first_time, 1'000'001'000u);
  EXPECT_EQ(overview.last_time, 1'000'017'000u);
  ASSERT_EQ(overview.providers.size(), 1u);
  EXPECT_EQ(overview.providers[0].name, "fxt-record");
  EXPECT_EQ(overview.providers[0].records.count, overview.records - 1);

  ASSERT_EQ(overview.cpus.size(), 2u);
  EXPECT_EQ(overview.cpus.at(0).switches, 4u);
  EXPECT_EQ(overview.cpus.at(1).switches, 2u);
  EXPECT_EQ(overview.cpus.at(1).wakeups, 1u);
  // The worker was on CPU 1 from its switch to the next.
  EXPECT_EQ(overview.cpus.at(1).busy_ns, 10'000u);
  const Overview::Thread& worker = overview.threads.at(testing::kWorker);
  EXPECT_EQ(worker.switches, 2u);
  EXPECT_EQ(worker.run_ns, 11'000u);
  EXPECT_EQ(worker.process, testing::kApp);
  EXPECT_FALSE(worker.idle);
  EXPECT_TRUE(overview.threads.at(testing::kIdle0).idle);
  EXPECT_EQ(overview.names->thread_name(testing::kWorker), "worker");

  EXPECT_EQ(overview.categories.at("app"), 8u);
  EXPECT_EQ(overview.blobs.at("cpu1").payload.bytes, 48u);
  EXPECT_EQ(overview.lost_events(), 12u);
  EXPECT_EQ(overview.lost.at({0, "sched"}), 12u);
  EXPECT_EQ(overview.buffer_filled_events, 1u);
  EXPECT_EQ(overview.unseen_switches, 1u);
  ASSERT_EQ(overview.session.size(), 3u);
  EXPECT_EQ(overview.session[0], (std::pair<std::string, std::string>("kernel", "6.1.0")));
  EXPECT_FALSE(overview.truncated);
  EXPECT_EQ(overview.error, "");
}

TEST(OverviewTest, JsonSaysTheSame) {
  RecordingParts file = RecordingParts::Sound();
  const Overview overview = OverviewOf(file.Bytes());
  const auto json = testing_support::ParseJson(OverviewJson("a file", overview));
  EXPECT_EQ(json["file"], "a file");
  EXPECT_EQ(json["records"], overview.records);
  EXPECT_EQ(json["duration_ns"], 16'000);
  EXPECT_EQ(json["kinds"]["switch"]["count"], 6);
  EXPECT_EQ(json["events"], 14);
  EXPECT_EQ(json["lost_events"], 12);
  EXPECT_EQ(json["lost"][0]["category"], "sched");
  EXPECT_EQ(json["session"]["kernel"], "6.1.0");
  EXPECT_EQ(json["cpus"].size(), 2u);
  EXPECT_EQ(json["threads"].size(), overview.threads.size());
}

TEST(OverviewTest, TextHasTheImportantFacts) {
  RecordingParts file = RecordingParts::Sound();
  const std::string text = OverviewText("x.fxt", OverviewOf(file.Bytes()), 5);
  for (const char* part : {"x.fxt", "kernel", "6.1.0", "switch", "worker [101] of app [100]",
                           "cpu 1", "processes      CPU time      runs  1 ran", "lost events    12",
                           "log messages   1", "fxt-record"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

// 2 ms of a thread, then 90 ms of which nothing is known but that switches were lost.
std::vector<uint64_t> WithLoss() {
  constexpr uint64_t kMs = 1'000'000;
  constexpr fxt::Koid kLost = fxt::Koid{1019} << 22;
  const auto idle = fxt::ThreadRef::Inline(0, testing::kIdle0);
  const auto app = fxt::ThreadRef::Inline(testing::kApp, testing::kApp);
  const auto lost = fxt::ThreadRef::Inline((fxt::Koid{1020} << 22) + 4, kLost);
  fxt::testing::FileBuilder file;
  file.Add(fxt::ProviderInfo{1, "fxt-record"});
  file.Add(fxt::ProviderSection{1});
  const auto add_switch = [&](uint64_t time, fxt::ThreadState state, fxt::ThreadRef outgoing,
                              uint8_t outgoing_priority, fxt::ThreadRef incoming,
                              uint8_t incoming_priority) {
    file.Add(fxt::LegacyContextSwitch{time, 0, state, outgoing, incoming, outgoing_priority,
                                      incoming_priority});
  };
  add_switch(10 * kMs, fxt::ThreadState::kNew, idle, 0, app, 120);
  const std::array loss = {
      fxt::Argument{fxt::StringRef::Inline("cpu"), int32_t{0}},
      fxt::Argument{fxt::StringRef::Inline("count"), uint64_t{5}},
      fxt::Argument{fxt::StringRef::Inline("category"), fxt::StringRef::Inline("sched")}};
  file.Add(fxt::Event{fxt::EventType::kInstant, 12 * kMs, lost,
                      fxt::StringRef::Inline("fxt-record"), fxt::StringRef::Inline("lost_events"),
                      loss, 0});
  add_switch(12 * kMs, fxt::ThreadState::kNew, app, 0, lost, 0);
  add_switch(102 * kMs, fxt::ThreadState::kNew, lost, 0, app, 0);
  add_switch(102 * kMs, fxt::ThreadState::kBlocked, app, 120, idle, 0);
  add_switch(110 * kMs, fxt::ThreadState::kNew, idle, 0, app, 120);
  return file.words();
}

TEST(OverviewTest, TheTimeOfLostEventsIsUnknownAndNotBusy) {
  const std::vector<uint64_t> words = WithLoss();
  const Overview overview = OverviewOf(std::as_bytes(std::span(words)));
  EXPECT_EQ(overview.cpus.at(0).busy_ns, 2'000'000u);
  EXPECT_EQ(overview.cpus.at(0).unknown_ns, 90'000'000u);
  EXPECT_EQ(overview.threads.at(testing::kApp).run_ns, 2'000'000u);
  EXPECT_EQ(overview.threads.at(testing::kIdle0).run_ns, 8'000'000u);
  // The placeholder for an unknown thread is not counted as a thread.
  EXPECT_EQ(overview.threads.size(), 2u);
  const auto json = testing_support::ParseJson(OverviewJson("a file", overview));
  EXPECT_EQ(json["cpus"][0]["unknown_ns"], 90'000'000);
  const std::string text = OverviewText("x", overview, 5);
  EXPECT_NE(text.find("  2.0%    90.0%"), std::string::npos) << text;
}

TEST(OverviewTest, TheTimeBeforeAnUnseenSwitchIsUnknown) {
  RecordingParts file = RecordingParts::Sound();
  const Overview overview = OverviewOf(file.Bytes());
  // Of CPU 0: the loss, and idle up to the unseen switch; the worker's last time is known.
  EXPECT_EQ(overview.cpus.at(0).unknown_ns, 2'000u);
  EXPECT_EQ(overview.cpus.at(0).busy_ns, 14'000u);
}

// CPU 0 is idle at first, then a thread runs to the end; on CPU 1 another ran from the start, and
// the thread that came last goes on.
TEST(OverviewTest, TimesCutByTheEdgesOfTheWindowCount) {
  constexpr uint64_t kMs = 1'000'000;
  const auto idle = fxt::ThreadRef::Inline(0, testing::kIdle0);
  const auto app = fxt::ThreadRef::Inline(testing::kApp, testing::kApp);
  const auto worker = fxt::ThreadRef::Inline(testing::kApp, testing::kWorker);
  const auto third = fxt::ThreadRef::Inline(3, 3);
  fxt::testing::FileBuilder file;
  file.Add(fxt::ProviderInfo{1, "fxt-record"});
  file.Add(fxt::ProviderSection{1});
  file.Add(fxt::Event{fxt::EventType::kInstant,
                      10 * kMs,
                      app,
                      fxt::StringRef::Inline("fxt-record"),
                      fxt::StringRef::Inline("session"),
                      {},
                      0});
  file.Add(fxt::LegacyContextSwitch{40 * kMs, 0, fxt::ThreadState::kNew, idle, app, 0, 120});
  file.Add(
      fxt::LegacyContextSwitch{90 * kMs, 1, fxt::ThreadState::kDying, worker, third, 120, 120});
  file.Add(fxt::LegacyContextSwitch{100 * kMs, 1, fxt::ThreadState::kNew, third, idle, 120, 0});
  file.Add(fxt::ThreadWakeup{110 * kMs, 1, 3, {}});
  const Overview overview = OverviewOf(std::as_bytes(std::span(file.words())));
  EXPECT_EQ(overview.window_ns, 100 * kMs);
  EXPECT_EQ(overview.cpus.at(0).busy_ns, 70 * kMs);
  EXPECT_EQ(overview.cpus.at(1).busy_ns, 90 * kMs);
  EXPECT_EQ(overview.threads.at(testing::kApp).run_ns, 70 * kMs);
  EXPECT_EQ(overview.threads.at(3).run_ns, 10 * kMs);
  // One that ran, and was never switched to.
  ASSERT_TRUE(overview.threads.contains(testing::kWorker));
  EXPECT_EQ(overview.threads.at(testing::kWorker).run_ns, 80 * kMs);
  EXPECT_EQ(overview.threads.at(testing::kWorker).switches, 0u);
  EXPECT_EQ(overview.threads.at(testing::kWorker).process, testing::kApp);
  const std::string text = OverviewText("x", overview, 5);
  EXPECT_NE(text.find(" 70.0%\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 90.0%\n"), std::string::npos) << text;
}

// The thread is in D until it is woken; then it waits for a CPU.
TEST(OverviewTest, WaitsInDEndWithTheWakeup) {
  constexpr uint64_t kMs = 1'000'000;
  const auto idle = fxt::ThreadRef::Inline(0, testing::kIdle0);
  const auto app = fxt::ThreadRef::Inline(testing::kApp, testing::kApp);
  const std::array uninterruptible = {
      fxt::Argument{fxt::StringRef::Inline("state"), fxt::StringRef::Inline("D")}};
  fxt::testing::FileBuilder file;
  file.Add(fxt::ProviderInfo{1, "fxt-record"});
  file.Add(fxt::ProviderSection{1});
  file.Add(fxt::LegacyContextSwitch{10 * kMs, 0, fxt::ThreadState::kNew, idle, app, 0, 120});
  file.Add(fxt::Event{fxt::EventType::kInstant, 20 * kMs, app, fxt::StringRef::Inline("sched"),
                      fxt::StringRef::Inline("linux_state"), uninterruptible, 0});
  file.Add(fxt::LegacyContextSwitch{20 * kMs, 0, fxt::ThreadState::kBlocked, app, idle, 120, 0});
  file.Add(fxt::ThreadWakeup{23 * kMs, 0, testing::kApp, {}});
  file.Add(fxt::LegacyContextSwitch{40 * kMs, 0, fxt::ThreadState::kNew, idle, app, 0, 120});
  const Overview overview = OverviewOf(std::as_bytes(std::span(file.words())));
  ASSERT_EQ(overview.blocked.size(), 1u);
  EXPECT_EQ(overview.blocked.begin()->second.waits, 1u);
  EXPECT_EQ(overview.blocked.begin()->second.ns, 3 * kMs);
}

TEST(OverviewTest, SaysWhereReadingStopped) {
  RecordingParts file = RecordingParts::Sound();
  file.AddWords("zero", {0x08});
  const Overview overview = OverviewOf(file.Bytes());
  EXPECT_NE(overview.error.find("size 0"), std::string::npos);
  EXPECT_EQ(overview.of(facts::RecordKind::kSwitch).count, 6u);
  EXPECT_NE(OverviewText("x", overview, 5).find("reading stopped"), std::string::npos);
}

TEST(OverviewTest, EveryKindOfDiagnosticHasAKey) {
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    EXPECT_NE(KeyOf(static_cast<fxt::DiagnosticKind>(i)), "?");
    EXPECT_NE(fxt::Describe(static_cast<fxt::DiagnosticKind>(i)), "?");
  }
}

TEST(OverviewTest, NamesWithoutEndAreNotKept) {
  fxt::testing::FileBuilder file;
  for (uint32_t i = 0; i < 20'000; ++i) {
    const std::string category = "c" + std::to_string(i);
    file.Add(fxt::Event{fxt::EventType::kInstant,
                        i,
                        fxt::ThreadRef::Inline(1, 1),
                        fxt::StringRef::Inline(category),
                        {},
                        {},
                        0});
  }
  const Overview overview = OverviewOf(file.bytes());
  EXPECT_EQ(overview.categories.size(), 10'000u);
  EXPECT_EQ(overview.not_listed, 10'000u);
}

TEST(OverviewTest, RunsCountsAreAddedUp) {
  fxt::testing::FileBuilder file;
  const auto run = [&](fxt::Koid thread, uint64_t cycles, uint64_t instructions, uint32_t partial) {
    const fxt::Argument counts[] = {
        {fxt::StringRef::Inline("cycles"), cycles},
        {fxt::StringRef::Inline("instructions"), instructions},
        {fxt::StringRef::Inline("partial"), partial},
    };
    file.Add(fxt::Event{fxt::EventType::kCounter, 1, fxt::ThreadRef::Inline(7, thread),
                        fxt::StringRef::Inline("counter"), fxt::StringRef::Inline("run"),
                        std::span(counts).first(partial == 0 ? 2 : 3), thread});
  };
  run(8, 1000, 500, 0);
  run(8, 3000, 3500, 0);
  run(9, 1000, 3000, 2);
  const Overview overview = OverviewOf(file.bytes());
  EXPECT_EQ(overview.counted.at("cycles"), 5000u);
  EXPECT_EQ(overview.counted.at("instructions"), 7000u);
  EXPECT_EQ(overview.partial_runs, 1u);
  EXPECT_EQ(overview.work.at(8).cycles, 4000u);
  const std::string text = OverviewText("f", overview, 10);
  EXPECT_NE(text.find("instructions per cycle 1.40"), std::string::npos) << text;
  EXPECT_LT(text.find("1.00"), text.find("3.00"));
  const auto json = testing_support::ParseJson(OverviewJson("f", overview));
  EXPECT_EQ(json["counted"]["cycles"], 5000);
  EXPECT_EQ(json["work"][1]["ipc"], 3.0);
}

}  // namespace
}  // namespace analyze
