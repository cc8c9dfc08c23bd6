// SPDX-License-Identifier: BSD-2-Clause
// The hardware is not needed to see that samples find their way: the CPU clock stands in for it, with
// real samples from the running kernel, whose stacks are empty.
#include "capture/branch_recorder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/provider_writer.h"
#include "fxt/reader.h"
#include "model/identity_source.h"
#include "sink/memory_sink.h"
#include "util/clock.h"

namespace capture {
namespace {

class NoIdentities : public model::IdentitySource {
 public:
  model::ProcessText TextOf(uint32_t) override { return {}; }
  std::optional<model::TaskIdentity> LookUp(uint32_t) override { return std::nullopt; }
  std::string CgroupPath(uint64_t) override { return ""; }
  std::string IrqName(uint32_t) override { return ""; }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t) override { return {}; }
};

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
  perf_data::LbrOptions options;
  options.frequency = 2000;
  auto session = perf_data::LbrSession::OpenStandIn(options);
  if (!session) GTEST_SKIP() << "no system-wide perf events here: " << session.error().message;
  BranchRecorder recorder(std::move(*session));

  sink::MemorySink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "test");
  NoIdentities identities;
  translate::TranslatorOptions translation;
  translation.branches = true;
  translate::Translator translator(writer, identities, translation);

  ASSERT_TRUE(recorder.Enable());
  Spin(200'000'000);
  recorder.Disable();
  recorder.Collect();
  uint64_t delivered = 0;
  uint64_t last = 0;
  while (recorder.NextTime() != UINT64_MAX) {
    EXPECT_GE(recorder.NextTime(), last);
    last = recorder.NextTime();
    recorder.DeliverNext(translator);
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

TEST(BranchRecorderTest, KeepsOnlyTheTasksAskedFor) {
  perf_data::LbrOptions options;
  options.frequency = 2000;
  auto session = perf_data::LbrSession::OpenStandIn(options);
  if (!session) GTEST_SKIP() << "no system-wide perf events here: " << session.error().message;
  BranchRecorder recorder(std::move(*session));
  TaskFilter filter;
  filter.tgids = {0x3fffff};  // nobody
  recorder.SetFilter(filter);

  sink::MemorySink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "test");
  NoIdentities identities;
  translate::TranslatorOptions translation;
  translation.branches = true;
  translate::Translator translator(writer, identities, translation);

  ASSERT_TRUE(recorder.Enable());
  Spin(100'000'000);
  recorder.Disable();
  recorder.Collect();
  while (recorder.NextTime() != UINT64_MAX) recorder.DeliverNext(translator);
  EXPECT_EQ(translator.stats().recorded[FXR_CATEGORY_LBR], 0u);
}

}  // namespace
}  // namespace capture
