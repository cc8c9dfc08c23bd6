// SPDX-License-Identifier: BSD-2-Clause
// The genuine recordings, damaged: flipped bits and cuts. They must not cause crashes, hangs or
// growing memory, above all with the sanitizers on, and reading must end.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "perf/file/file_reader.h"
#include "perf/file/time_order.h"
#include "unit/perf/recordings.h"

namespace perf {
namespace {

// FXT_DAMAGE_ROUNDS sets a longer run.
size_t Rounds(size_t quick) {
  const char* rounds_text = std::getenv("FXT_DAMAGE_ROUNDS");
  return rounds_text != nullptr ? std::strtoull(rounds_text, nullptr, 10) : quick;
}

// Reads a file like an importer, and every byte of each record.
uint64_t ReadEverything(util::Bytes file, bool seekable) {
  util::Result<FileReader> reader = FileReader::Open(MakeMemorySource(file, seekable));
  if (!reader) return 0;
  TimeOrder order(1 << 20);
  uint64_t sum = 0;
  uint64_t records = 0;
  for (;;) {
    auto next = reader->Next();
    if (!next || !next->has_value()) break;
    // Each record has at least eight bytes in the file.
    EXPECT_LE(++records, file.size() / kRecordHeaderBytes);
    auto record = DecodeRecord((*next)->raw.header, (*next)->raw.body, reader->format(**next));
    if (!record) continue;
    if (const auto* sample = std::get_if<Sample>(&record->body); sample && sample->branches) {
      for (const BranchEntry entry : sample->branches->entries) sum += entry.from + entry.flags;
    }
    if (const auto* mmap = std::get_if<MmapRecord>(&record->body)) sum += mmap->file.size();
    order.Add(**next, TimeOf(*record));
    while (auto ordered = order.Next()) sum += ordered->body.size();
  }
  order.Finish();
  while (auto ordered = order.Next()) sum += ordered->body.size();
  return sum;
}

std::vector<std::byte> Load(const std::filesystem::path& folder,
                            const testing::Recording& recording) {
  const std::string text = testing::ReadFile(testing::RecordingPath(folder, recording));
  const util::Bytes bytes = std::as_bytes(std::span<const char>(text));
  return {bytes.begin(), bytes.end()};
}

TEST(DamageTest, SurvivesFlippedBits) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  std::mt19937_64 random(20240229);
  for (const testing::Recording& recording : testing::Recordings()) {
    std::vector<std::byte> file = Load(folder, recording);
    ASSERT_FALSE(file.empty());
    const uint64_t intact = ReadEverything(file, true);
    EXPECT_NE(intact, 0u);
    const size_t rounds = Rounds(file.size() < 100000 ? 3000 : 40);
    for (size_t i = 0; i < rounds; ++i) {
      // Every second time in the header, where bits matter most.
      const size_t place = random() % (i % 2 == 0 ? file.size() : 600);
      const std::byte bit{static_cast<unsigned char>(1u << random() % 8)};
      file[place] ^= bit;
      ReadEverything(file, true);
      file[place] ^= bit;
    }
    EXPECT_EQ(ReadEverything(file, true), intact);
  }
}

TEST(DamageTest, SurvivesCuts) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  std::mt19937_64 random(20240301);
  for (const testing::Recording& recording : testing::Recordings()) {
    const std::vector<std::byte> file = Load(folder, recording);
    const size_t rounds = Rounds(file.size() < 100000 ? 1000 : 20);
    for (size_t i = 0; i < rounds; ++i) {
      ReadEverything(util::Bytes(file).first(random() % (i % 2 == 0 ? file.size() : 600)), true);
    }
  }
}

TEST(DamageTest, SurvivesDamagedRecordsInAPipe) {
  // The same records after the short header of a pipe, where record sizes are not checked in
  // advance.
  RECORDINGS_FOLDER_OR_SKIP(folder);
  std::mt19937_64 random(20240302);
  for (const testing::Recording& recording : testing::Recordings()) {
    std::vector<std::byte> file = Load(folder, recording);
    if (file.size() > 100000) continue;
    file[8] = std::byte{16};
    for (size_t i = 0; i < Rounds(1000); ++i) {
      const size_t place = 16 + random() % (file.size() - 16);
      const std::byte before = file[place];
      file[place] = static_cast<std::byte>(random());
      ReadEverything(file, false);
      file[place] = before;
    }
  }
}

}  // namespace
}  // namespace perf
