// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/recovery.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "facts/record_kind.h"
#include "facts/recorder_facts.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/collecting_sink.h"

namespace analyze {
namespace {

using fxt::testing::CollectingSink;
using testing::RecordingParts;

struct RecoveredFile {
  RecoverResult result;
  std::vector<uint64_t> words;
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words)); }

  size_t Count(facts::RecordKind kind) const {
    fxt::MemorySource source(bytes());
    fxt::Reader reader(source);
    size_t count = 0;
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      if (facts::KindOf(reader.record()) == kind) ++count;
    }
    return count;
  }
};

// Writes all records of the file as accepted, with a gap before the part `gap`.
RecoveredFile Write(RecordingParts& file, const std::string& gap = "") {
  RecoveredFile written;
  CollectingSink sink;
  facts::TaskNames names;
  Recovery recovery(sink, names, written.result);
  fxt::MemorySource source(file.Bytes());
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (!gap.empty() && file.LabelAt(reader.offset()) == gap) recovery.OnGap(8);
    names.Note(reader.record());
    recovery.Add(reader);
  }
  recovery.Finish(reader);
  written.words = std::move(sink.words);
  fxt::MemorySource result(written.bytes());
  CheckTrace(result, {}, [](const Finding& finding) {
    if (finding.severity == Severity::kError) ADD_FAILURE() << finding.rule << finding.message;
  });
  return written;
}

RecordingParts RecordedBytes() {
  RecordingParts file = RecordingParts::Sound();
  const auto app = fxt::ThreadRef::Indexed(2);
  const auto idle = fxt::ThreadRef::Indexed(1);
  uint64_t time = 1'000'020'000;
  const fxt::Argument state{fxt::StringRef::Inline("state"), fxt::StringRef::Inline("D")};
  file.Add("app comes",
           fxt::LegacyContextSwitch{time, 0, fxt::ThreadState::kNew, idle, app, 0, 120});
  file.Add("state", fxt::Event{fxt::EventType::kInstant,
                               time + 1000,
                               app,
                               fxt::StringRef::Inline("sched"),
                               fxt::StringRef::Inline("linux_state"),
                               {&state, 1},
                               0});
  file.Add("app goes",
           fxt::LegacyContextSwitch{time + 1000, 0, fxt::ThreadState::kBlocked, app, idle, 120, 0});
  file.Add("app is back",
           fxt::LegacyContextSwitch{time + 2000, 0, fxt::ThreadState::kNew, idle, app, 0, 120});
  return file;
}

TEST(RecoveryTest, WritesASoundTraceUnchanged) {
  RecordingParts file = RecordedBytes();
  const RecoveredFile written = Write(file);
  EXPECT_EQ(written.result.gaps, 0u);
  const RecoveredFile again = Write(file);
  EXPECT_EQ(again.Count(facts::RecordKind::kInstant), written.Count(facts::RecordKind::kInstant));
}

TEST(RecoveryTest, WritesAStateOnlyWithItsSwitch) {
  RecordingParts whole = RecordedBytes();
  RecordingParts file = RecordedBytes();
  file.Remove("app goes");
  const RecoveredFile written = Write(file);
  EXPECT_EQ(written.result.gaps, 1u) << "the state";
  const RecoveredFile sound = Write(whole);
  EXPECT_EQ(written.Count(facts::RecordKind::kSwitch), sound.Count(facts::RecordKind::kSwitch) - 1);
  // One instant fewer, plus the one that declares the gap.
  EXPECT_EQ(written.Count(facts::RecordKind::kInstant), sound.Count(facts::RecordKind::kInstant));
}

TEST(RecoveryTest, DeclaresAGapWhereThreadsDoNotFollow) {
  RecordingParts whole = RecordedBytes();
  RecordingParts file = RecordedBytes();
  file.Remove("app comes");
  const RecoveredFile written = Write(file);
  EXPECT_EQ(written.Count(facts::RecordKind::kProviderEvent),
            Write(whole).Count(facts::RecordKind::kProviderEvent) + 1);
}

TEST(RecoveryTest, DeclaresSkippedBytesOnce) {
  RecordingParts whole = RecordedBytes();
  RecordingParts file = RecordedBytes();
  const RecoveredFile written = Write(file, "app comes");
  EXPECT_EQ(written.result.gaps, 1u);
  EXPECT_EQ(written.result.skipped_bytes, 8u);
  EXPECT_EQ(written.Count(facts::RecordKind::kProviderEvent),
            Write(whole).Count(facts::RecordKind::kProviderEvent) + 1);
}

TEST(RecoveryTest, AddsMissingKernelObjects) {
  RecordingParts file = RecordedBytes();
  file.Add("stranger", fxt::ThreadWakeup{1'000'030'000, 0, 4242, {}});
  const RecoveredFile written = Write(file);
  fxt::MemorySource source(written.bytes());
  fxt::Reader reader(source);
  facts::TaskNames names;
  while (reader.Next() == fxt::ReadStatus::kRecord) names.Note(reader.record());
  EXPECT_EQ(names.thread_name(4242), "(lost thread 4242)");
}

}  // namespace
}  // namespace analyze
