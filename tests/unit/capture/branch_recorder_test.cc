// SPDX-License-Identifier: BSD-2-Clause
// The hardware is not needed to see that samples find their way: the CPU clock stands in for it,
// with real samples from the running kernel, whose stacks are empty.
#include "capture/branch_recorder.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/lbr/lbr_samples.h"
#include "branches/brstack_text.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/provider_writer.h"
#include "fxt/reader.h"
#include "model/task_tracker.h"
#include "perf/file/file_reader.h"
#include "sink/memory_sink.h"
#include "translate/translator.h"
#include "unit/model/no_identities.h"
#include "unit/perf/fake_root.h"
#include "unit/perf/live/fake_kernel.h"
#include "unit/perf/recordings.h"
#include "unit/perf/synthetic.h"
#include "util/clock.h"

namespace capture {
namespace {

void Spin(uint64_t ns) {
  const uint64_t end = util::MonotonicNow() + ns;
  while (util::MonotonicNow() < end) {
  }
}

struct Counts {
  uint64_t blobs = 0;
  uint64_t instants = 0;
  uint64_t last_time = 0;
};

TEST(BranchRecorderTest, SamplesReachTheFileInTimeOrder) {
  perf::LbrOptions options;
  options.frequency = 2000;
  auto session = perf::LbrSession::OpenStandIn(options);
  if (!session) GTEST_SKIP() << "no system-wide perf events here: " << session.error().message;
  BranchRecorder recorder(std::move(*session));

  sink::MemorySink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "test");
  model::testing::NoIdentities identities;
  translate::TranslatorOptions translation;
  translation.branches = true;
  model::TaskTracker tasks(identities, true);
  translate::Translator translator(writer, tasks, translation);
  HandlerOf handler(translator);

  ASSERT_TRUE(recorder.Enable());
  Spin(200'000'000);
  recorder.Disable(util::MonotonicNow());
  recorder.Collect(util::MonotonicNow());
  uint64_t delivered = 0;
  uint64_t last = 0;
  while (recorder.NextTime() != UINT64_MAX) {
    EXPECT_GE(recorder.NextTime(), last);
    last = recorder.NextTime();
    recorder.DeliverNext(handler);
    ++delivered;
  }
  ASSERT_TRUE(archive.Flush());
  // Asked for 2,000 a second over a fifth of one; a busy machine may throttle.
  EXPECT_GT(delivered, 20u);
  const uint64_t samples = translator.stats().recorded[FXR_CATEGORY_LBR];
  EXPECT_GT(samples, 20u);

  Counts counts;
  fxt::MemorySource source(sink.bytes());
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (std::holds_alternative<fxt::Blob>(reader.record())) ++counts.blobs;
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (!event || event->type != fxt::EventType::kInstant) continue;
    if (event->category.text == "fxt-record") continue;
    ++counts.instants;
    EXPECT_GE(event->timestamp, counts.last_time);
    counts.last_time = event->timestamp;
  }
  EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd);
  EXPECT_EQ(reader.diagnostics().kept().size(), 0u);
  EXPECT_EQ(counts.instants, samples);
  EXPECT_GE(counts.blobs, samples);
}

TEST(BranchRecorderTest, KeepsOnlySelectedTasks) {
  perf::LbrOptions options;
  options.frequency = 2000;
  auto session = perf::LbrSession::OpenStandIn(options);
  if (!session) GTEST_SKIP() << "no system-wide perf events here: " << session.error().message;
  BranchRecorder recorder(std::move(*session));
  TaskFilter filter;
  filter.tgids = {0x3fffff};  // no process
  recorder.SetFilter(filter, [](uint32_t) { return false; });

  sink::MemorySink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "test");
  model::testing::NoIdentities identities;
  translate::TranslatorOptions translation;
  translation.branches = true;
  model::TaskTracker tasks(identities, true);
  translate::Translator translator(writer, tasks, translation);
  HandlerOf handler(translator);

  ASSERT_TRUE(recorder.Enable());
  Spin(100'000'000);
  recorder.Disable(util::MonotonicNow());
  recorder.Collect(util::MonotonicNow());
  while (recorder.NextTime() != UINT64_MAX) recorder.DeliverNext(handler);
  EXPECT_EQ(translator.stats().recorded[FXR_CATEGORY_LBR], 0u);
}

// A sample of a recording in the layout that the live event has: every field of MakeLbrAttr(), and
// the hardware index.
std::vector<std::byte> LiveSample(const perf::BranchStackSample& sample) {
  perf::testing::ByteBuilder body;
  body.U64(sample.ip.value_or(0)).U32(sample.pid).U32(sample.tid).U64(sample.time);
  body.U32(sample.cpu.value_or(0)).U32(0).U64(sample.period.value_or(0));
  body.U64(sample.entries.size()).U64(0);
  for (const perf::BranchEntry& entry : sample.entries) {
    body.Entry(entry.from, entry.to, entry.flags);
  }
  return perf::testing::MakeRecord(PERF_RECORD_SAMPLE, 0, body);
}

struct LinesOfSamples : analyze::LbrVisitor {
  void OnSample(const perf::BranchStackSample& sample) override {
    std::string line;
    branches::AppendBrstackLine(sample.pid, sample.tid, with_cpu ? sample.cpu : std::nullopt,
                                sample.time, sample.entries, &line);
    lines.push_back(line);
  }
  bool with_cpu = false;
  std::vector<std::string> lines;
};

// The live classes over a kernel of the test's making, up to the finished file.
class LiveBranches {
 public:
  LiveBranches() {
    root_.Online("0").Pmu("cpu", "type", "4").Pmu("cpu", "caps/branches", "32");
    auto session = perf::LbrSession::Open({}, kernel_, root_.path());
    EXPECT_TRUE(session.ok());
    if (!session) return;
    recorder_.emplace(std::move(*session));
    EXPECT_TRUE(recorder_->Enable());
  }
  // Writes to the ring of CPU 0, which is emptied when it is full.
  void Push(const std::vector<std::byte>& record) {
    if (kernel_.Producer(0).Write(record)) return;
    recorder_->Collect(util::MonotonicNow());
    ++fillings_;
    EXPECT_TRUE(kernel_.Producer(0).Write(record));
  }
  // Everything into a file.
  std::vector<std::byte> Finish() {
    recorder_->Disable(util::MonotonicNow());
    sink::MemorySink sink;
    fxt::ArchiveWriter archive(sink);
    fxt::ProviderWriter writer(archive, "fxt-record");
    model::testing::NoIdentities identities;
    translate::TranslatorOptions translation;
    translation.branches = true;
    model::TaskTracker tasks(identities, true);
    translate::Translator translator(writer, tasks, translation);
    HandlerOf handler(translator);
    while (recorder_->NextTime() != UINT64_MAX) recorder_->DeliverNext(handler);
    EXPECT_TRUE(archive.Flush());
    lost_ = translator.stats().lost[FXR_CATEGORY_LBR];
    return {sink.bytes().begin(), sink.bytes().end()};
  }
  bool open() const { return recorder_.has_value(); }
  BranchRecorder& recorder() { return *recorder_; }
  perf::testing::FakeKernel& kernel() { return kernel_; }
  perf::testing::FakeRoot& root() { return root_; }
  size_t fillings() const { return fillings_; }
  uint64_t lost() const { return lost_; }

 private:
  perf::testing::FakeRoot root_;
  perf::testing::FakeKernel kernel_;
  std::optional<BranchRecorder> recorder_;
  size_t fillings_ = 0;
  uint64_t lost_ = 0;
};

class BranchRecorderRecordingsTest : public ::testing::TestWithParam<perf::testing::Recording> {};

TEST_P(BranchRecorderRecordingsTest, GenuineSamplesReachTheFileThroughTheLiveRing) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  auto input = perf::OpenFile(perf::testing::RecordingPath(folder, GetParam()));
  ASSERT_TRUE(input.ok());
  auto reader = perf::FileReader::Open(std::move(*input));
  ASSERT_TRUE(reader.ok());
  LiveBranches live;
  ASSERT_TRUE(live.open());
  size_t bytes = 0;
  bool with_cpu = false;
  for (;;) {
    auto next = reader->Next();
    ASSERT_TRUE(next.ok());
    if (!next->has_value()) break;
    const perf::RawRecord& raw = (*next)->raw;
    if (raw.header.type != PERF_RECORD_SAMPLE) continue;
    const auto record = perf::DecodeRecord(raw.header, raw.body, reader->format(**next));
    ASSERT_TRUE(record.ok());
    perf::BranchStackSample sample;
    perf::TakeBranchStack(std::get<perf::Sample>(record->body), &sample);
    with_cpu = sample.cpu.has_value();
    const std::vector<std::byte> live_bytes = LiveSample(sample);
    bytes += live_bytes.size();
    live.Push(live_bytes);
  }
  const std::vector<std::byte> file = live.Finish();
  // Half a MiB of ring.
  EXPECT_GE(live.fillings(), bytes / (512 << 10));
  EXPECT_EQ(live.lost(), 0u);

  LinesOfSamples seen;
  seen.with_cpu = with_cpu;
  fxt::MemorySource source(file);
  fxt::Reader fxt_reader(source);
  const analyze::LbrProblems problems = analyze::VisitLbr(fxt_reader, seen);
  EXPECT_EQ(fxt_reader.status(), fxt::ReadStatus::kEnd);
  EXPECT_EQ(problems.damaged_blobs, 0u) << problems.first_damaged;
  const std::vector<std::string> expected = perf::testing::ExpectedLines(folder, GetParam());
  ASSERT_EQ(seen.lines.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(seen.lines[i], expected[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(All, BranchRecorderRecordingsTest,
                         ::testing::ValuesIn(perf::testing::Recordings()),
                         perf::testing::RecordingName);

TEST(BranchRecorderTest, ReportsUnreadableRecordsAsLosses) {
  LiveBranches live;
  ASSERT_TRUE(live.open());
  perf::BranchStackSample sample;
  sample.entries = {{1, 2, 2}};
  std::vector<std::byte> damaged = LiveSample(sample);
  damaged[8 + 40] = std::byte{200};  // the number of branches
  live.Push(damaged);
  live.Push(damaged);
  live.recorder().Collect(util::MonotonicNow());
  live.Push(damaged);
  live.Finish();
  EXPECT_EQ(live.lost(), 3u);
}

TEST(BranchRecorderTest, ReportsACpuThatCannotBeOpenedOnce) {
  LiveBranches live;
  ASSERT_TRUE(live.open());
  live.recorder().Collect(util::MonotonicNow());
  EXPECT_EQ(live.recorder().TakeProblem(), "");
  live.kernel().verdict = [](const perf_event_attr&, int cpu) { return cpu == 1 ? EBUSY : 0; };
  live.root().Online("0-1");
  live.recorder().Collect(util::MonotonicNow());
  EXPECT_NE(live.recorder().TakeProblem().find("CPU 1"), std::string::npos);
  live.recorder().Collect(util::MonotonicNow());
  EXPECT_EQ(live.recorder().TakeProblem(), "");
}

}  // namespace
}  // namespace capture
