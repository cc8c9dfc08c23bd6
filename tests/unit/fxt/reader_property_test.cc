// SPDX-License-Identifier: BSD-2-Clause
// Writes, reads and compares random valid records through every kind of source, and reads randomly
// edited files safely.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "fxt/reader.h"
#include "unit/fxt/support/chunk_source.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/random_records.h"
#include "unit/fxt/support/record_text.h"

namespace fxt {
namespace {

struct RandomFile {
  explicit RandomFile(uint64_t seed, size_t records) {
    testing::RandomRecords random(seed);
    texts.push_back("magic");
    while (texts.size() < records) {
      const Record record = random.Next();
      // Fifteen long arguments can exceed a record; the encoder refuses that.
      testing::CollectingSink sink;
      RecordBuffer buffer(sink);
      if (Encoder(buffer).Write(record) == EncodeStatus::kRecordTooLong) continue;
      file.Add(record);
      texts.push_back(testing::ToText(record));
    }
  }
  testing::FileBuilder file;
  std::vector<std::string> texts;
};

std::vector<std::string> ReadTexts(ByteSource& source, const ReaderOptions& options = {}) {
  Reader reader(source, options);
  std::vector<std::string> texts;
  for (;;) {
    switch (reader.Next()) {
      case ReadStatus::kRecord:
        texts.push_back(testing::ToText(reader.record()));
        break;
      case ReadStatus::kNeedMore:
        break;
      case ReadStatus::kEnd:
        EXPECT_EQ(reader.diagnostics().count(DiagnosticClass::kMalformed), 0u);
        EXPECT_EQ(reader.diagnostics().count(DiagnosticClass::kUnknown), 0u);
        EXPECT_EQ(reader.diagnostics().count(DiagnosticClass::kEnd), 0u);
        EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUndefinedString), 0u);
        EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUndefinedThread), 0u);
        return texts;
      case ReadStatus::kError:
        ADD_FAILURE() << reader.error_message();
        return texts;
    }
  }
}

// As EXPECT_EQ, without printing megabytes on a difference.
void ExpectSame(const std::vector<std::string>& got, const std::vector<std::string>& want) {
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    ASSERT_EQ(got[i].substr(0, 2000), want[i].substr(0, 2000)) << "record " << i;
    ASSERT_TRUE(got[i] == want[i]) << "record " << i;
  }
  EXPECT_EQ(got.size(), want.size());
}

class ReaderPropertyTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(ReaderPropertyTest, ReadsWhatTheEncoderWrites) {
  RandomFile random(GetParam(), 400);
  const auto bytes = random.file.bytes();
  {
    SCOPED_TRACE("memory");
    MemorySource source(bytes);
    ExpectSame(ReadTexts(source), random.texts);
  }
  {
    SCOPED_TRACE("memory, off the word boundary");
    std::vector<std::byte> shifted(bytes.size() + 1);
    std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
    MemorySource source{std::span<const std::byte>(shifted).subspan(1)};
    ExpectSame(ReadTexts(source), random.texts);
  }
  for (const size_t chunk : {size_t{1}, size_t{7}, size_t{4096}, size_t{1} << 20}) {
    SCOPED_TRACE("chunks of " + std::to_string(chunk));
    testing::ChunkSource source(bytes, chunk);
    source.again_between = chunk > 7;
    ReaderOptions options;
    options.window_bytes = 1;  // the reader's minimum
    ExpectSame(ReadTexts(source, options), random.texts);
  }
  {
    // A sound file reads the same in recovery. (Plausibility is stricter than the format: records
    // at the end of the file are read twice.)
    SCOPED_TRACE("recovery");
    testing::ChunkSource source(bytes);
    ReaderOptions options;
    options.recover = true;
    ExpectSame(ReadTexts(source, options), random.texts);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReaderPropertyTest, ::testing::Range<uint64_t>(1, 13));

// Flips bits, removes and repeats pieces, and cuts the end.
void Mutate(std::vector<std::byte>& bytes, std::mt19937_64& random) {
  const auto place = [&] { return static_cast<size_t>(random() % bytes.size()); };
  for (uint64_t edits = 1 + random() % 8; edits != 0 && bytes.size() > 16; --edits) {
    const size_t at = place();
    const size_t length = std::min<size_t>(1 + random() % 100, bytes.size() - at);
    const auto from = bytes.begin() + static_cast<long>(at);
    switch (random() % 6) {
      case 0:
      case 1:
        bytes[at] ^= static_cast<std::byte>(1u << random() % 8);
        break;
      case 2:
        bytes.erase(from, from + static_cast<long>(length));
        break;
      case 3: {
        const std::vector<std::byte> piece(from, from + static_cast<long>(length));
        bytes.insert(bytes.begin() + static_cast<long>(place()), piece.begin(), piece.end());
        break;
      }
      case 4: {
        const uint64_t word = random() % 3 == 0 ? 0 : random();
        std::memcpy(&bytes[at / 8 * 8], &word, std::min<size_t>(8, bytes.size() - at / 8 * 8));
        break;
      }
      default:
        if (random() % 4 == 0) bytes.resize(1 + at);
    }
  }
}

// Reads to the end and touches everything that a record points to.
void ReadDamaged(ByteSource& source, ReaderOptions options, size_t bytes) {
  options.window_bytes = 1 << 16;
  options.max_record_bytes = 1 << 20;
  options.max_table_bytes = 4 << 20;
  options.max_diagnostics = 10;
  Reader reader(source, options);
  uint64_t steps = 0;
  uint64_t last_offset = 0;
  size_t text_bytes = 0;
  for (;;) {
    const ReadStatus status = reader.Next();
    // Every record takes at least a word, so the loop ends.
    ASSERT_LE(++steps, 2 * bytes / 8 + 1000);
    if (status == ReadStatus::kEnd || status == ReadStatus::kError) break;
    if (status == ReadStatus::kNeedMore) continue;
    ASSERT_TRUE(steps == 1 || reader.offset() > last_offset || reader.offset() == 0);
    last_offset = reader.offset();
    ASSERT_EQ(reader.position() - reader.offset(), reader.words().size() * 8);
    ASSERT_LE(reader.position(), bytes);
    text_bytes += testing::ToText(reader.record()).size();
  }
  EXPECT_TRUE(text_bytes > 0 || steps == 1);
  EXPECT_LE(reader.diagnostics().kept().size(), 10u);
  EXPECT_LE(reader.memory_bytes(), size_t{16} << 20);
  const ReadStatus last = reader.status();
  EXPECT_EQ(reader.Next(), last);
}

class ReaderMutationTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(ReaderMutationTest, ReadsDamagedFilesSafely) {
  RandomFile random(1000 + GetParam(), 60);
  const auto original = random.file.bytes();
  std::mt19937_64 engine(GetParam());
  for (int round = 0; round < 60; ++round) {
    std::vector<std::byte> bytes(original.begin(), original.end());
    Mutate(bytes, engine);
    SCOPED_TRACE("round " + std::to_string(round));
    for (const bool recover : {false, true}) {
      ReaderOptions options;
      options.recover = recover;
      MemorySource memory(bytes);
      ReadDamaged(memory, options, bytes.size());
      testing::ChunkSource chunks(bytes, 1000);
      ReadDamaged(chunks, options, bytes.size());
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReaderMutationTest, ::testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace fxt
