// SPDX-License-Identifier: BSD-2-Clause
#include "provider/section_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

#include "provider/buffer_reader.h"
#include "unit/provider/fake_provider.h"
#include "unit/provider/recorded_file.h"

namespace provider {
namespace {

using testing::FakeProvider;

// A file and a provider in process 100 whose records are written to it.
class Recorded : public testing::RecordedFile {
 public:
  explicit Recorded(const std::string& name = "app", fxt_buffer_mode mode = FXT_MODE_STREAMING,
                    uint64_t start_ticks = kStartTicks) {
    auto buffer = SharedBuffer::Make({.mode = mode, .bytes = 1 << 17, .categories = {}});
    fake.emplace(*buffer);
    reader.emplace(std::make_shared<Identity>(Identity{5, 100, name, 1000, start_ticks}),
                   std::move(*buffer));
  }

  void Deliver() {
    if (reader->buffer().mode() == FXT_MODE_STREAMING) {
      reader->ReadNew();
    } else {
      reader->ReadAll();
    }
    const auto batch = reader->Take(pairs, 0, 0, UINT64_MAX);
    for (const RecordEntry& entry : batch->entries) sections.Write(*batch, entry);
    sections.WriteLoss(*batch, 1000);
  }

  std::optional<FakeProvider> fake;
  std::optional<BufferReader> reader;
  ClockPairs pairs;
};
using Lines = std::vector<std::string>;

TEST(SectionWriterTest, ResolvesThreadsInTheTableOfTasks) {
  Recorded recorded;
  const uint16_t category = recorded.fake->Add("cat");
  const uint16_t name = recorded.fake->Add("name");
  uint32_t block = 0;
  // The main thread, another thread, a thread of another process, an unknown thread.
  for (const uint32_t tid : {100u, 101u, 200u, 999u}) {
    recorded.fake->Take(block, block + 1, tid);
    recorded.fake->Event(block, 10 + block, category, name);
    ++block;
  }
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), (Lines{"10 0 100/100 cat:name", "11 0 100/101 cat:name",
                                      "12 0 100/100 cat:name", "13 0 100/100 cat:name"}));
  EXPECT_EQ(recorded.sections.stats().records, 4u);
}

TEST(SectionWriterTest, CutsEndsWithoutABegin) {
  Recorded recorded;
  const uint16_t name = recorded.fake->Add("span");
  recorded.fake->Take(0, 1, 100);
  for (const uint64_t type : {3, 2, 3, 3}) recorded.fake->Event(0, 10 + type, 0, name, type);
  recorded.Deliver();
  EXPECT_EQ(recorded.Events().size(), 2u);
  EXPECT_EQ(recorded.sections.stats().cut, 2u);
}

TEST(SectionWriterTest, PrefixesCategoriesOfTheKernel) {
  Recorded recorded;
  recorded.fake->Take(0, 1, 100);
  Lines expected;
  uint64_t time = 10;
  for (const std::string category : {"sched", "task", "stack", "fxt-record", "syscall", "irq",
                                     "softirq", "oom", "signal", "log", "block", "net"}) {
    const uint16_t index = recorded.fake->Add(category);
    recorded.fake->Event(0, time, index, index);
    expected.push_back(std::to_string(time) + " 0 100/100 provider:" + category + ":" + category);
    ++time;
  }
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), expected);
}

TEST(SectionWriterTest, RefusesUndefinedStrings) {
  Recorded recorded;
  recorded.fake->Take(0, 1, 100);
  recorded.fake->Event(0, 10, 77, 78);
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), Lines{});
  EXPECT_EQ(recorded.sections.stats().invalid, 1u);
}

TEST(SectionWriterTest, WritesLossesIntoTheSection) {
  Recorded recorded;
  recorded.fake->header().lost = 12;
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), (Lines{"1000 0 100/100 fxt-record:lost_events",
                                      "1000 1 100/100 fxt-record:lost_events"}));
  EXPECT_EQ(recorded.sections.stats().lost, 12u);
}

// Writes one event of `type` of a provider into the file.
void WriteEvent(testing::RecordedFile& file, const std::shared_ptr<const Identity>& identity,
                uint64_t type, uint64_t time, uint64_t payload, const std::string& category) {
  RecordBatch batch;
  batch.identity = identity;
  auto strings = std::make_shared<StringTable>();
  strings->Define(1, category);
  batch.strings = strings;
  const bool has_payload = type != 0 && type != 2 && type != 3;
  const uint64_t words = has_payload ? 3 : 2;
  batch.words = {
      4 | words << 4 | type << 16 | uint64_t{1} << 24 | uint64_t{1} << 32 | uint64_t{1} << 48, time,
      payload};
  batch.entries = {{time, identity->pid, 0}};
  file.sections.Write(batch, batch.entries[0]);
}

std::shared_ptr<const Identity> IdentityOf(uint32_t id, uint32_t pid, const std::string& name,
                                           uint64_t start = testing::RecordedFile::kStartTicks) {
  return std::make_shared<Identity>(Identity{id, pid, name, 1000, start});
}

// The pid was reused after the registration.
TEST(SectionWriterTest, RefusesRecordsOnAnotherProcessOfThePid) {
  testing::RecordedFile file;
  WriteEvent(file, IdentityOf(5, 100, "app", 3), 0, 10, 0, "cat");
  EXPECT_EQ(file.Events(), Lines{});
  EXPECT_EQ(file.sections.stats().invalid, 1u);
  WriteEvent(file, IdentityOf(6, 100, "app"), 0, 11, 0, "cat");
  EXPECT_EQ(file.Events(), Lines{"11 0 100/100 cat:cat"});
}

TEST(SectionWriterTest, AcceptsOnlyDataBlobs) {
  testing::RecordedFile file;
  const auto identity = IdentityOf(5, 100, "app");
  for (const uint64_t type : {1, 2, 3}) {
    RecordBatch batch;
    batch.identity = identity;
    batch.strings = std::make_shared<StringTable>();
    // One argument without a name: a blob of 8 bytes.
    batch.words = {4 | uint64_t{5} << 4 | uint64_t{FXT_EVENT_BLOB} << 16 | uint64_t{1} << 20 |
                       uint64_t{1} << 24,
                   10, 10 | uint64_t{2} << 4 | uint64_t{8} << 32, 42, type};
    batch.entries = {{10, 100, 0}};
    file.sections.Write(batch, batch.entries[0]);
  }
  EXPECT_EQ(file.sections.stats().records, 1u);
  EXPECT_EQ(file.sections.stats().invalid, 2u);
}

constexpr uint64_t kAsyncBegin = 5;
constexpr uint64_t kAsyncEnd = 7;

TEST(SectionWriterTest, AProviderCannotEndAnAsyncSpanOfAnother) {
  testing::RecordedFile file;
  const auto honest = IdentityOf(5, 100, "honest");
  const auto hostile = IdentityOf(6, 200, "hostile");
  WriteEvent(file, honest, kAsyncBegin, 10, 77, "cat");
  WriteEvent(file, hostile, kAsyncEnd, 11, 77, "cat");
  WriteEvent(file, hostile, kAsyncBegin, 12, 77, "cat");
  WriteEvent(file, hostile, kAsyncEnd, 13, 77, "cat");
  WriteEvent(file, honest, kAsyncEnd, 14, 77, "cat");
  EXPECT_EQ(file.sections.stats().cut, 1u);
  EXPECT_EQ(file.AsyncIds("honest"), (std::vector<uint64_t>{77, 77}));
  const std::vector<uint64_t> others = file.AsyncIds("hostile");
  ASSERT_EQ(others.size(), 2u);
  EXPECT_EQ(others[0], others[1]);
  EXPECT_NE(others[0], 77u);
}

TEST(SectionWriterTest, OpenSpansAreLimited) {
  testing::RecordedFile file;
  const std::string category(4000, 'c');
  const auto identity = IdentityOf(5, 100, "app");
  for (uint64_t id = 0; id < SpanMatcher::kMaxOpenOfProvider + 10; ++id) {
    WriteEvent(file, identity, kAsyncBegin, 10 + id, id, category);
  }
  EXPECT_EQ(file.sections.stats().invalid + file.sections.stats().lost, 10u);
  // The provider of another user has its own limit.
  const auto other = std::make_shared<Identity>(
      Identity{6, 200, "other", 1001, testing::RecordedFile::kStartTicks});
  WriteEvent(file, other, kAsyncBegin, 1'000'000, 1, "cat");
  EXPECT_EQ(file.AsyncIds("other").size(), 1u);
}

TEST(SectionWriterTest, SectionsEndWithTheirProviders) {
  testing::RecordedFile file;
  for (uint32_t id = 2; id < 1000; ++id) {
    const auto identity = IdentityOf(id, 100, "app");
    WriteEvent(file, identity, 0, id, 0, std::string(4000, 'c') + std::to_string(id));
    if (id % 2 == 0) file.sections.EndSection(*identity);
    EXPECT_LE(file.sections.open_sections(), SectionWriter::kMaxOpenSections);
  }
  EXPECT_EQ(file.Events().size(), 998u);
}

TEST(SectionWriterTest, ShortRecordsWithLongStringsDoNotFillTheFile) {
  testing::RecordedFile file;
  RecordBatch batch;
  batch.identity = IdentityOf(5, 100, "app");
  auto strings = std::make_shared<StringTable>();
  // More text than a section's table may hold.
  for (uint16_t index = 1; index <= 100; ++index) {
    strings->Define(index,
                    std::string(4000, static_cast<char>('a' + index % 26)) + std::to_string(index));
  }
  batch.strings = strings;
  constexpr size_t kRecords = 10'000;
  for (uint64_t i = 0; i < kRecords; ++i) {
    batch.words = {4 | uint64_t{2} << 4 | uint64_t{1} << 24 | (1 + i % 100) << 48, i};
    batch.entries = {{i + 1, 100, 0}};
    file.sections.Write(batch, batch.entries[0]);
  }
  file.archive.Flush();
  EXPECT_LT(file.sink.bytes().size(), (size_t{1} << 20) + 10 * 16 * kRecords);
  const SectionStats& stats = file.sections.stats();
  EXPECT_GT(stats.lost, 0u);
  EXPECT_EQ(stats.records + stats.lost, kRecords);
}

// Changes a few words of the shared memory at random.
void Corrupt(FakeProvider& fake, std::mt19937_64& random) {
  const int changes = 1 + static_cast<int>(random() % 40);
  for (int i = 0; i < changes; ++i) {
    const uint32_t block = static_cast<uint32_t>(random() % 4);
    uint64_t* word = fake.words(block) + random() % 200;
    switch (random() % 9) {
      case 0:
        *word = random();
        break;
      case 1:
        *word ^= uint64_t{1} << random() % 64;
        break;
      case 2:
        fake.block(block).committed = static_cast<uint32_t>(random());
        break;
      case 3:
        fake.block(block).sequence = random() % 8;
        break;
      case 4:
        fake.block(block).tid = static_cast<uint32_t>(random());
        break;
      case 5:
        fake.places()[random() % 64] = static_cast<uint32_t>(random());
        break;
      case 6:
        fake.header().strings = static_cast<uint32_t>(random());
        break;
      case 7:
        fake.memory()[fxt_strings_offset() + random() % 256] = static_cast<uint8_t>(random());
        break;
      default:
        *word = 4 | (random() % 12) << 4 | (random() % 16) << 16 | (random() % 16) << 20 |
                uint64_t{1} << 24 | (random() % 40) << 32 | (random() % 40) << 48;
        break;
    }
  }
}

void Fill(FakeProvider& fake, std::mt19937_64& random) {
  for (int i = 0; i < 30; ++i) fake.Add("string " + std::to_string(i), i % 3 == 0);
  for (uint32_t block = 0; block < 4; ++block) {
    fake.Take(block, block + 1, 100 + block % 2);
    for (uint64_t i = 0; i < 100; ++i) {
      constexpr uint64_t kTypes[] = {0, 2, 3, FXT_EVENT_ALERT};
      fake.Event(block, 10 + i, static_cast<uint16_t>(1 + random() % 30),
                 static_cast<uint16_t>(1 + random() % 30), kTypes[random() % 4]);
    }
  }
}

TEST(SectionWriterTest, ACorruptedBufferGivesAValidFile) {
  const char* given = getenv("FXT_PROVIDER_ROUNDS");
  const int rounds = given != nullptr ? atoi(given) : 60;
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Recorded recorded("app", round % 2 == 0 ? FXT_MODE_STREAMING : FXT_MODE_CIRCULAR);
    Fill(*recorded.fake, random);
    for (int step = 0; step < 5; ++step) {
      Corrupt(*recorded.fake, random);
      recorded.Deliver();
    }
    recorded.Events();
  }
}

TEST(SectionWriterTest, ABufferCorruptedDuringReadingGivesAValidFile) {
  const char* given = getenv("FXT_PROVIDER_ROUNDS");
  const int turns = given != nullptr ? atoi(given) * 5 : 300;
  for (const fxt_buffer_mode mode : {FXT_MODE_STREAMING, FXT_MODE_CIRCULAR}) {
    Recorded recorded("app", mode);
    std::mt19937_64 random(2);
    Fill(*recorded.fake, random);
    std::atomic<bool> over = false;
    std::thread corrupter([&] {
      std::mt19937_64 own(3);
      while (!over) Corrupt(*recorded.fake, own);
    });
    for (int step = 0; step < turns; ++step) recorded.Deliver();
    over = true;
    corrupter.join();
    recorded.Events();
  }
}

}  // namespace
}  // namespace provider
