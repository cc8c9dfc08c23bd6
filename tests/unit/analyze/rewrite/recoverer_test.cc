// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/recoverer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/show/overview.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/collecting_sink.h"

namespace analyze {
namespace {

using fxt::testing::CollectingSink;
using testing::RecordingParts;

RecordingParts LongRecording() { return RecordingParts::Long(400); }

struct Saved {
  RecoverResult result;
  std::vector<uint64_t> words;
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words)); }
};

Saved Recover(std::span<const std::byte> bytes) {
  Saved saved;
  CollectingSink sink;
  fxt::MemorySource source(bytes);
  saved.result = RecoverTrace(source, sink, nullptr);
  EXPECT_FALSE(saved.result.sink_failed);
  saved.words = std::move(sink.words);
  return saved;
}

std::vector<std::string> Findings(std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  std::vector<std::string> findings;
  const CheckResult result = CheckTrace(source, {}, [&](const Finding& finding) {
    findings.push_back(std::string(finding.rule) + ": " + finding.message);
  });
  EXPECT_EQ(result.unreadable, "");
  return findings;
}

Overview Of(std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  return TakeOverview(reader);
}

TEST(RecovererTest, LosesNothingOfASoundTrace) {
  RecordingParts file = LongRecording();
  const Saved saved = Recover(file.Bytes());
  EXPECT_EQ(saved.result.skipped_bytes, 0u);
  EXPECT_EQ(saved.result.gaps, 0u);
  EXPECT_FALSE(saved.result.truncated);
  EXPECT_EQ(Findings(saved.bytes()), std::vector<std::string>{});
  EXPECT_EQ(Of(saved.bytes()).of(facts::RecordKind::kSwitch).count, 406u);
}

TEST(RecovererTest, DeclaresAGap) {
  RecordingParts file = LongRecording();
  file.At("switch 100") = {0, 0};
  file.At("switch 101") = {0, 0};
  file.At("switch 102") = {0, 0};
  EXPECT_NE(Findings(file.Bytes()), std::vector<std::string>{});
  const Saved saved = Recover(file.Bytes());
  EXPECT_EQ(saved.result.gaps, 1u);
  EXPECT_EQ(saved.result.skipped_bytes, 48u);
  EXPECT_EQ(Findings(saved.bytes()), std::vector<std::string>{});
  const Overview summary = Of(saved.bytes());
  EXPECT_EQ(summary.of(facts::RecordKind::kSwitch).count, 403u);
  EXPECT_EQ(summary.buffer_filled_events, 2u);
  EXPECT_TRUE(summary.lost.contains({-1, "damage"}));
}

TEST(RecovererTest, NamesReferencesWithoutDefinition) {
  RecordingParts file = LongRecording();
  file.At("string app")[0] = 0;
  file.At("string app")[1] = 0;
  file.At("thread app") = {0, 0, 0};
  const Saved saved = Recover(file.Bytes());
  EXPECT_GT(saved.result.lost_references, 400u);
  fxt::MemorySource source(saved.bytes());
  fxt::Reader reader(source);
  bool seen = false;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    seen = seen || (event != nullptr && event->category.text == "(lost string 4)");
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(reader.diagnostics().total(), 0u);
}

TEST(RecovererTest, RecoversACutTraceToItsEnd) {
  RecordingParts file = LongRecording();
  const auto bytes = file.Bytes();
  const Saved saved = Recover(bytes.first(bytes.size() - 5));
  EXPECT_TRUE(saved.result.truncated);
  EXPECT_EQ(Findings(saved.bytes()), std::vector<std::string>{});
  EXPECT_EQ(Of(saved.bytes()).of(facts::RecordKind::kSwitch).count, 405u);
}

// After random damage the output is a valid trace with nearly all records.
TEST(RecovererTest, WritesAValidTraceAfterRandomDamage) {
  std::mt19937_64 random(7);
  RecordingParts file = LongRecording();
  const auto sound = file.Bytes();
  const size_t first = file.Offset("switch 0");
  for (int round = 0; round < 100; ++round) {
    std::vector<std::byte> bytes(sound.begin(), sound.end());
    const size_t length = 1 + random() % 200;
    const size_t at = first + random() % (bytes.size() - first - length);
    for (size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<std::byte>(random());
    const Saved saved = Recover(bytes);
    fxt::MemorySource source(saved.bytes());
    CheckOptions options;
    options.recorder_rules = false;
    const CheckResult result = CheckTrace(source, options, [&](const Finding& finding) {
      // A record whose start is intact and whose rest is overwritten is undetectable.
      EXPECT_TRUE(finding.rule == "thread-state" || finding.rule == "utf-8" ||
                  finding.rule == "event-times" || finding.rule == "padding")
          << finding.rule << ": " << finding.message;
    });
    EXPECT_EQ(result.unreadable, "");
    EXPECT_LE(result.errors, 2u);
    EXPECT_GE(Of(saved.bytes()).of(facts::RecordKind::kSwitch).count, 406 - length / 16 - 6);
    if (HasFailure()) return;
  }
}

TEST(RecovererTest, FindsNothingInNoise) {
  std::mt19937_64 random(8);
  std::vector<std::byte> bytes(10'000);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  const Saved saved = Recover(bytes);
  EXPECT_LE(saved.result.records, 1u);
}

}  // namespace
}  // namespace analyze
