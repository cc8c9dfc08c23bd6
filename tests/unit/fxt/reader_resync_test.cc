// SPDX-License-Identifier: BSD-2-Clause
// ReaderOptions::recover on damaged files.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fxt/reader.h"
#include "unit/fxt/support/chunk_source.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/record_text.h"

namespace fxt {
namespace {

using testing::FileBuilder;

constexpr uint64_t kRecords = 2000;

// Records of several kinds and lengths, each with its number as its time.
FileBuilder& Sample(FileBuilder& file) {
  file.Add(ProviderInfo{1, "fxt-record"}).Add(Initialization{1'000'000'000});
  file.Add(StringRecord{1, "sched"}).Add(StringRecord{2, "count"});
  for (uint8_t i = 1; i < 20; ++i) file.Add(ThreadRecord{i, uint64_t{100} + i, uint64_t{200} + i});
  for (uint64_t time = 1; time <= kRecords; ++time) {
    const auto thread = ThreadRef::Indexed(static_cast<uint8_t>(1 + time % 19));
    const Argument arguments[] = {{StringRef::Indexed(2), time * 1'000'003}};
    switch (time % 5) {
      case 0:
        file.Add(ThreadWakeup{time, 1, 205, {}});
        break;
      case 1:
        file.Add(Event{EventType::kInstant, time, thread, StringRef::Indexed(1),
                       StringRef::Inline("an event with a name"), arguments, 0});
        break;
      default:
        file.Add(LegacyContextSwitch{time, 1, ThreadState::kBlocked, thread, ThreadRef::Indexed(3),
                                     120, 120});
    }
  }
  return file;
}

struct Outcome {
  uint64_t right = 0;  // different records of the sound file, definitions not counted
  uint64_t wrong = 0;  // records that the sound file lacks
  uint64_t skipped_bytes = 0;
  ReadStatus status = ReadStatus::kEnd;
};

// Every record of the sample has its own time or index, so texts are unique.
std::set<std::string> TextsOf(std::span<const std::byte> bytes) {
  MemorySource source(bytes);
  Reader reader(source);
  std::set<std::string> texts;
  while (reader.Next() == ReadStatus::kRecord) texts.insert(testing::ToText(reader.record()));
  return texts;
}

Outcome Recover(ByteSource& source, const std::set<std::string>& sound) {
  Outcome outcome;
  ReaderOptions options;
  options.recover = true;
  options.on_diagnostic = [&](const Diagnostic& d) {
    if (d.kind == DiagnosticKind::kBytesSkipped) outcome.skipped_bytes += d.value;
  };
  Reader reader(source, options);
  std::set<std::string> seen;
  for (;;) {
    outcome.status = reader.Next();
    if (outcome.status != ReadStatus::kRecord) break;
    const std::string text = testing::ToText(reader.record());
    if (sound.contains(text)) {
      seen.insert(text);
    } else {
      ++outcome.wrong;
    }
  }
  outcome.right = seen.size();
  return outcome;
}

class ReaderResyncTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sound_ = TextsOf(Sample(file_).bytes());
    Restore();
  }
  void Restore() {
    const auto whole = file_.bytes();
    bytes_.assign(whole.begin(), whole.end());
  }
  // From memory and streamed; both must yield the same.
  Outcome Both() {
    MemorySource memory(bytes_);
    const Outcome outcome = Recover(memory, sound_);
    testing::ChunkSource chunks(bytes_, 777);
    const Outcome streamed = Recover(chunks, sound_);
    EXPECT_EQ(outcome.right, streamed.right);
    EXPECT_EQ(outcome.skipped_bytes, streamed.skipped_bytes);
    return outcome;
  }
  FileBuilder file_;
  std::set<std::string> sound_;
  std::vector<std::byte> bytes_;
};

TEST_F(ReaderResyncTest, ReadsAValidFileCompletely) {
  const Outcome outcome = Both();
  EXPECT_EQ(outcome.right, sound_.size());
  EXPECT_EQ(outcome.skipped_bytes, 0u);
}

TEST_F(ReaderResyncTest, AZeroedWordCostsOneRecord) {
  for (size_t at = 1024; at < bytes_.size() - 1024; at += 1024) {
    Restore();
    std::memset(&bytes_[at], 0, 8);
    const Outcome outcome = Both();
    // A zeroed time is undetectable.
    EXPECT_GE(outcome.right + 2, sound_.size()) << at;
    EXPECT_LE(outcome.wrong, 1u) << at;
    if (HasFailure()) return;
  }
}

TEST_F(ReaderResyncTest, LostAndInsertedBytesCostTheRecordsAround) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    Restore();
    const size_t at = 1000 + random() % (bytes_.size() - 2000);
    const size_t length = 1 + random() % 40;
    const auto from = bytes_.begin() + static_cast<long>(at);
    if (round % 2 == 0) {
      bytes_.erase(from, from + static_cast<long>(length));
    } else {
      std::vector<std::byte> noise(length);
      for (std::byte& b : noise) b = static_cast<std::byte>(random());
      bytes_.insert(from, noise.begin(), noise.end());
    }
    const Outcome outcome = Both();
    EXPECT_GE(outcome.right + 6, sound_.size()) << "round " << round;
    EXPECT_LE(outcome.wrong, 1u) << "round " << round;
  }
}

TEST_F(ReaderResyncTest, AFlippedBitCostsFewRecords) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    Restore();
    bytes_[600 + random() % (bytes_.size() - 600)] ^= static_cast<std::byte>(1u << random() % 8);
    const Outcome outcome = Both();
    EXPECT_GE(outcome.right + 6, sound_.size()) << "round " << round;
  }
}

TEST_F(ReaderResyncTest, SkipsALargeHole) {
  std::mt19937_64 random(3);
  const size_t hole = bytes_.size() / 3;
  for (size_t i = 0; i < hole; ++i) bytes_[hole + i] = static_cast<std::byte>(random());
  const Outcome outcome = Both();
  EXPECT_GE(outcome.right, sound_.size() * 6 / 10);
  EXPECT_LE(outcome.wrong, 2u);
  EXPECT_NEAR(static_cast<double>(outcome.skipped_bytes), static_cast<double>(hole), 200);
}

TEST_F(ReaderResyncTest, ReadsAFileWithoutItsStart) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + 1000 + 3);
  const Outcome outcome = Both();
  // Without the definitions most records read differently.
  EXPECT_GE(outcome.right + outcome.wrong, kRecords * 97 / 100);
  EXPECT_LE(outcome.right + outcome.wrong, kRecords);
  EXPECT_EQ(outcome.status, ReadStatus::kEnd);
}

TEST_F(ReaderResyncTest, FindsNothingInNoise) {
  std::mt19937_64 random(4);
  for (std::byte& b : bytes_) b = static_cast<std::byte>(random());
  const Outcome outcome = Both();
  EXPECT_EQ(outcome.status, ReadStatus::kEnd);
  EXPECT_LE(outcome.right + outcome.wrong, 1u);
}

}  // namespace
}  // namespace fxt
