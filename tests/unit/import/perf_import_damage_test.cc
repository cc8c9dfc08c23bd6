// SPDX-License-Identifier: BSD-2-Clause
// Genuine recordings, damaged, imported and read back: no crash, no hang, bounded memory, and a
// valid trace.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "analyze/lbr/lbr_samples.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "import/perf_importer.h"
#include "sink/memory_sink.h"
#include "unit/perf/recordings.h"

namespace importer {
namespace {

// FXT_DAMAGE_ROUNDS sets a longer run.
size_t Rounds(size_t quick) {
  const char* rounds_text = std::getenv("FXT_DAMAGE_ROUNDS");
  return rounds_text != nullptr ? std::strtoull(rounds_text, nullptr, 10) : quick;
}

struct Counter : analyze::LbrVisitor {
  void OnSample(const perf::BranchStackSample& sample) override {
    ++samples;
    branches += sample.entries.size();
  }
  uint64_t samples = 0;
  uint64_t branches = 0;
};

void ImportAndRead(util::Bytes file, bool seekable) {
  auto input = perf::FileReader::Open(perf::MakeMemorySource(file, seekable));
  if (!input) {
    EXPECT_FALSE(input.error().message.empty());
    return;
  }
  // A multiple of the size of an imported recording.
  sink::MemorySink sink(file.size() * 20 + (1 << 20));
  importer::PerfImportStats stats;
  {
    fxt::ArchiveWriter archive(sink);
    fxt::ProviderWriter provider(archive, "perf.data");
    importer::PerfImporter importer(*input, provider);
    (void)importer.Run();
    stats = importer.stats();
    EXPECT_TRUE(archive.Flush());
  }
  fxt::MemorySource source(sink.bytes());
  fxt::Reader reader(source);
  Counter counter;
  const analyze::LbrProblems problems = analyze::VisitLbr(reader, counter);
  EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd) << reader.error_message();
  EXPECT_EQ(problems.damaged_blobs, 0u) << problems.first_damaged;
  EXPECT_EQ(counter.samples, stats.branch_stacks);
  EXPECT_EQ(counter.branches, stats.branches);
}

TEST(PerfImportDamageTest, WritesValidTracesFromDamagedRecordings) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  std::mt19937_64 random(20240303);
  for (const auto& recording : perf::testing::Recordings()) {
    const std::string text =
        perf::testing::ReadFile(perf::testing::RecordingPath(folder, recording));
    std::vector<std::byte> file(text.size());
    std::memcpy(file.data(), text.data(), text.size());
    const size_t rounds = Rounds(file.size() < 100000 ? 400 : 8);
    for (size_t i = 0; i < rounds; ++i) {
      const size_t place = random() % (i % 2 == 0 ? file.size() : 600);
      const std::byte bit{static_cast<unsigned char>(1u << random() % 8)};
      file[place] ^= bit;
      ImportAndRead(file, true);
      file[place] ^= bit;
      ImportAndRead(util::Bytes(file).first(random() % file.size()), true);
    }
    // In a pipe the sizes of records are not checked in advance.
    if (file.size() > 100000) continue;
    file[8] = std::byte{16};
    for (size_t i = 0; i < rounds; ++i) {
      const size_t place = 16 + random() % (file.size() - 16);
      const std::byte before = file[place];
      file[place] = static_cast<std::byte>(random());
      ImportAndRead(file, false);
      file[place] = before;
    }
  }
}

}  // namespace
}  // namespace importer
