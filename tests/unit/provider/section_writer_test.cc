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

// A file, and a provider of process 100 whose records go there.
class Recorded : public testing::RecordedFile {
 public:
  explicit Recorded(const std::string& name = "app", fxt_buffer_mode mode = FXT_MODE_STREAMING) {
    auto buffer = SharedBuffer::Make({.mode = mode, .bytes = 1 << 17, .categories = {}});
    fake.emplace(*buffer);
    reader.emplace(std::make_shared<Identity>(Identity{5, 100, name}), std::move(*buffer));
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

TEST(SectionWriterTest, ThreadsAreThoseOfTheKernelsSide) {
  Recorded recorded;
  const uint16_t category = recorded.fake->Add("cat");
  const uint16_t name = recorded.fake->Add("name");
  uint32_t block = 0;
  // Its own, another one of its own, one of another process, one that nobody knows.
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

TEST(SectionWriterTest, EndsWithoutABeginAreCut) {
  Recorded recorded;
  const uint16_t name = recorded.fake->Add("span");
  recorded.fake->Take(0, 1, 100);
  for (const uint64_t type : {3, 2, 3, 3}) recorded.fake->Event(0, 10 + type, 0, name, type);
  recorded.Deliver();
  EXPECT_EQ(recorded.Events().size(), 2u);
  EXPECT_EQ(recorded.sections.stats().cut, 2u);
}

TEST(SectionWriterTest, WhatReadersTakeForTheRecordersIsRenamed) {
  Recorded recorded;
  const uint16_t sched = recorded.fake->Add("sched");
  const uint16_t name = recorded.fake->Add("linux_state");
  recorded.fake->Take(0, 1, 100);
  recorded.fake->Event(0, 10, sched, name);
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), Lines{"10 0 100/100 provider:sched:linux_state"});
}

TEST(SectionWriterTest, AnUndefinedStringIsNone) {
  Recorded recorded;
  recorded.fake->Take(0, 1, 100);
  recorded.fake->Event(0, 10, 77, 78);
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), Lines{});
  EXPECT_EQ(recorded.sections.stats().invalid, 1u);
}

TEST(SectionWriterTest, LossesStandInItsSection) {
  Recorded recorded;
  recorded.fake->header().lost = 12;
  recorded.Deliver();
  EXPECT_EQ(recorded.Events(), (Lines{"1000 0 100/100 fxt-record:lost_events",
                                      "1000 1 100/100 fxt-record:lost_events"}));
  EXPECT_EQ(recorded.sections.stats().lost, 12u);
}

// Memory as a program leaves it, with a few words changed at random; and one in which another
// thread changes them all the while.
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

TEST(SectionWriterTest, ACorruptedBufferSpoilsNoFile) {
  const char* given = getenv("FXT_PROVIDER_ROUNDS");
  const int rounds = given != nullptr ? atoi(given) : 60;
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Recorded recorded("app", round % 2 == 0 ? FXT_MODE_STREAMING : FXT_MODE_CIRCULAR);
    Fill(*recorded.fake, random);
    for (int turn = 0; turn < 5; ++turn) {
      Corrupt(*recorded.fake, random);
      recorded.Deliver();
    }
    recorded.Events();
  }
}

TEST(SectionWriterTest, ACorruptedBufferThatChangesMeanwhileSpoilsNoFile) {
  const char* given = getenv("FXT_PROVIDER_ROUNDS");
  const int turns = given != nullptr ? atoi(given) * 5 : 300;
  for (const fxt_buffer_mode mode : {FXT_MODE_STREAMING, FXT_MODE_CIRCULAR}) {
    Recorded recorded("app", mode);
    std::mt19937_64 random(2);
    Fill(*recorded.fake, random);
    std::atomic<bool> over = false;
    std::thread liar([&] {
      std::mt19937_64 own(3);
      while (!over) Corrupt(*recorded.fake, own);
    });
    for (int turn = 0; turn < turns; ++turn) recorded.Deliver();
    over = true;
    liar.join();
    recorded.Events();
  }
}

}  // namespace
}  // namespace provider
