// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/show/summary_report.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/file_builder.h"

namespace analyze {
namespace {

using testing::RecordingParts;

Summary Of(std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  return Summarize(reader);
}

TEST(SummaryTest, CountsWhatIsInARecording) {
  RecordingParts file = RecordingParts::Sound();
  const auto bytes = file.Bytes();
  const Summary summary = Of(bytes);
  EXPECT_EQ(summary.bytes, bytes.size());
  EXPECT_EQ(summary.of(facts::RecordKind::kSwitch).count, 6u);
  EXPECT_EQ(summary.of(facts::RecordKind::kWakeup).count, 1u);
  EXPECT_EQ(summary.of(facts::RecordKind::kLog).count, 1u);
  EXPECT_EQ(summary.of(facts::RecordKind::kInstant).count, 5u);
  EXPECT_EQ(summary.events(), 14u);
  uint64_t records = 0;
  uint64_t kind_bytes = 0;
  for (const Counted& kind : summary.kinds) {
    records += kind.count;
    kind_bytes += kind.bytes;
  }
  EXPECT_EQ(records, summary.records);
  EXPECT_EQ(kind_bytes, bytes.size());

  // From the first switch to the last; the session's own time does not count.
  EXPECT_EQ(summary.first_time, 1'000'001'000u);
  EXPECT_EQ(summary.last_time, 1'000'017'000u);
  ASSERT_EQ(summary.providers.size(), 1u);
  EXPECT_EQ(summary.providers[0].name, "fxt-record");
  EXPECT_EQ(summary.providers[0].records.count, summary.records - 1);

  ASSERT_EQ(summary.cpus.size(), 2u);
  EXPECT_EQ(summary.cpus.at(0).switches, 4u);
  EXPECT_EQ(summary.cpus.at(1).switches, 2u);
  EXPECT_EQ(summary.cpus.at(1).wakeups, 1u);
  // The worker was on CPU 1 from its switch to the next.
  EXPECT_EQ(summary.cpus.at(1).busy_ns, 10'000u);
  const Summary::Thread& worker = summary.threads.at(testing::kWorker);
  EXPECT_EQ(worker.switches, 2u);
  EXPECT_EQ(worker.run_ns, 11'000u);
  EXPECT_EQ(worker.process, testing::kApp);
  EXPECT_FALSE(worker.idle);
  EXPECT_TRUE(summary.threads.at(testing::kIdle0).idle);
  EXPECT_EQ(summary.names.thread_name(testing::kWorker), "worker");

  EXPECT_EQ(summary.categories.at("app"), 8u);
  EXPECT_EQ(summary.blobs.at("cpu1").payload.bytes, 48u);
  EXPECT_EQ(summary.lost_events(), 12u);
  EXPECT_EQ(summary.lost.at({0, "sched"}), 12u);
  EXPECT_EQ(summary.buffer_filled_events, 1u);
  EXPECT_EQ(summary.unseen_switches, 1u);
  ASSERT_EQ(summary.session.size(), 3u);
  EXPECT_EQ(summary.session[0], (std::pair<std::string, std::string>("kernel", "6.1.0")));
  EXPECT_FALSE(summary.truncated);
  EXPECT_EQ(summary.error, "");
}

TEST(SummaryTest, JsonSaysTheSame) {
  RecordingParts file = RecordingParts::Sound();
  const Summary summary = Of(file.Bytes());
  const auto json = nlohmann::json::parse(SummaryJson("a file", summary));
  EXPECT_EQ(json["file"], "a file");
  EXPECT_EQ(json["records"], summary.records);
  EXPECT_EQ(json["duration_ns"], 16'000);
  EXPECT_EQ(json["kinds"]["switch"]["count"], 6);
  EXPECT_EQ(json["events"], 14);
  EXPECT_EQ(json["lost_events"], 12);
  EXPECT_EQ(json["lost"][0]["category"], "sched");
  EXPECT_EQ(json["session"]["kernel"], "6.1.0");
  EXPECT_EQ(json["cpus"].size(), 2u);
  EXPECT_EQ(json["threads"].size(), summary.threads.size());
}

TEST(SummaryTest, TextNamesWhatMatters) {
  RecordingParts file = RecordingParts::Sound();
  const std::string text = SummaryText("x.fxt", Of(file.Bytes()), 5);
  for (const char* part : {"x.fxt", "kernel", "6.1.0", "switch", "worker [101] of app [100]",
                           "cpu 1", "lost events    12", "log messages   1", "fxt-record"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(SummaryTest, SaysWhereReadingStopped) {
  RecordingParts file = RecordingParts::Sound();
  file.AddWords("zero", {0x08});
  const Summary summary = Of(file.Bytes());
  EXPECT_NE(summary.error.find("size 0"), std::string::npos);
  EXPECT_EQ(summary.of(facts::RecordKind::kSwitch).count, 6u);
  EXPECT_NE(SummaryText("x", summary, 5).find("reading stopped"), std::string::npos);
}

TEST(SummaryTest, EveryKindOfDiagnosticHasAKey) {
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    EXPECT_NE(KeyOf(static_cast<fxt::DiagnosticKind>(i)), "?");
    EXPECT_NE(fxt::Describe(static_cast<fxt::DiagnosticKind>(i)), "?");
  }
}

TEST(SummaryTest, NamesWithoutEndAreNotKept) {
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
  const Summary summary = Of(file.bytes());
  EXPECT_EQ(summary.categories.size(), 10'000u);
  EXPECT_EQ(summary.not_listed, 10'000u);
}

}  // namespace
}  // namespace analyze
