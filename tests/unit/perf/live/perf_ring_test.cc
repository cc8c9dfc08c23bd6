// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/perf_ring.h"

#include <gtest/gtest.h>

#include <random>

#include "branches/brstack_text.h"
#include "perf/file/file_reader.h"
#include "unit/perf/live/fake_kernel.h"
#include "unit/perf/recordings.h"
#include "unit/perf/synthetic.h"

namespace perf {
namespace {

using testing::ByteBuilder;
using testing::MakeRecord;
using testing::RingProducer;

// A ring in memory with its producer and consumer.
struct Ring {
  explicit Ring(size_t bytes, uint64_t start = 0) : data(bytes) {
    control.data_head = control.data_tail = start;
  }
  perf_event_mmap_page control{};
  std::vector<std::byte> data;
  RingProducer producer{&control, data};
  PerfRing consumer{&control, data};
};

TEST(PerfRingTest, DeliversRecordsAndFreesTheirSpace) {
  Ring ring(4096);
  ASSERT_TRUE(ring.producer.Write(MakeRecord(1, 2, ByteBuilder().U64(3))));
  ASSERT_TRUE(ring.producer.Write(MakeRecord(4, 5, {})));
  EXPECT_EQ(ring.consumer.pending(), 24u);
  std::vector<uint32_t> types;
  const size_t drained =
      ring.consumer.Drain([&](const perf_event_header& header, util::Bytes body) {
        types.push_back(header.type);
        EXPECT_EQ(body.size(), header.size - 8u);
      });
  EXPECT_EQ(drained, 24u);
  EXPECT_EQ(types, (std::vector<uint32_t>{1, 4}));
  EXPECT_EQ(ring.control.data_tail, 24u);
  EXPECT_EQ(ring.consumer.pending(), 0u);
  EXPECT_EQ(ring.consumer.Drain([](const perf_event_header&, util::Bytes) { FAIL(); }), 0u);
}

TEST(PerfRingTest, JoinsRecordsThatWrap) {
  // Also positions near 2^64, because they are not reduced to the size of the ring.
  for (const uint64_t start : {uint64_t{0}, ~uint64_t{0} - 4095}) {
    Ring ring(4096, start);
    std::mt19937 random(7);
    uint64_t written = 0;
    uint64_t read = 0;
    for (int round = 0; round < 2000; ++round) {
      ByteBuilder body;
      const size_t words = random() % 100;
      body.U64(written);
      for (size_t i = 0; i < words; ++i) body.U64(written ^ i);
      if (ring.producer.Write(MakeRecord(9, 0, body))) ++written;
      if (random() % 4 != 0) continue;
      ring.consumer.Drain([&](const perf_event_header&, util::Bytes bytes) {
        const util::PackedView<uint64_t> values(bytes);
        ASSERT_EQ(values[0], read);
        for (size_t i = 1; i < values.size(); ++i) ASSERT_EQ(values[i], read ^ (i - 1));
        ++read;
      });
      ASSERT_EQ(read, written);
    }
    EXPECT_GT(written, 1000u);
    EXPECT_EQ(ring.consumer.corruptions(), 0u);
  }
}

TEST(PerfRingTest, DeliversTheLargestRecord) {
  Ring ring(1 << 17, (1 << 17) - 100);
  std::vector<std::byte> body(0xffff - 8, std::byte{0x5a});
  ASSERT_TRUE(ring.producer.Write(MakeRecord(9, 0, body)));
  size_t calls = 0;
  ring.consumer.Drain([&](const perf_event_header&, util::Bytes bytes) {
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), body.begin(), body.end()));
    ++calls;
  });
  EXPECT_EQ(calls, 1u);
}

TEST(PerfRingTest, StopsAtTheByteLimit) {
  Ring ring(4096);
  for (int i = 0; i < 100; ++i) ring.producer.Write(MakeRecord(9, 0, {}));
  size_t records = 0;
  const auto count = [&](const perf_event_header&, util::Bytes) { ++records; };
  EXPECT_EQ(ring.consumer.Drain(count, 80), 80u);
  EXPECT_EQ(records, 10u);
  ring.consumer.Drain(count);
  EXPECT_EQ(records, 100u);
}

TEST(PerfRingTest, SurvivesInvalidSizes) {
  for (const uint16_t size : {0, 7, 24, 0xffff}) {
    Ring ring(4096);
    ring.producer.Write(MakeRecord(1, 0, {}));
    ring.producer.Write(ByteBuilder().U32(9).U16(0).U16(size).U64(0));
    size_t records = 0;
    ring.consumer.Drain([&](const perf_event_header&, util::Bytes) { ++records; });
    EXPECT_EQ(records, 1u);
    EXPECT_EQ(ring.consumer.corruptions(), 1u);
    EXPECT_EQ(ring.consumer.corrupt_bytes(), 16u);
    // Later records are read by the next call.
    ring.producer.Write(MakeRecord(2, 0, {}));
    ring.consumer.Drain([&](const perf_event_header& header, util::Bytes) {
      EXPECT_EQ(header.type, 2u);
      ++records;
    });
    EXPECT_EQ(records, 2u);
  }
}

TEST(PerfRingTest, SurvivesAnInvalidHead) {
  Ring ring(4096);
  ring.control.data_head = 100000;
  size_t records = 0;
  ring.consumer.Drain([&](const perf_event_header&, util::Bytes) { ++records; });
  EXPECT_EQ(records, 0u);
  EXPECT_EQ(ring.consumer.corruptions(), 1u);
  EXPECT_EQ(ring.control.data_tail, 100000u);
  ring.control.data_head += 4;  // less than a header
  ring.consumer.Drain([&](const perf_event_header&, util::Bytes) { ++records; });
  EXPECT_EQ(ring.consumer.corruptions(), 2u);
}

// Pushes the samples of a genuine recording through a small ring. The decoded text must equal that
// of the file.
class PerfRingRecordingsTest : public ::testing::TestWithParam<testing::Recording> {};

TEST_P(PerfRingRecordingsTest, GiveTheSameTextThroughARing) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const testing::Recording& recording = GetParam();
  auto source = OpenFile(testing::RecordingPath(folder, recording));
  ASSERT_TRUE(source.ok());
  util::Result<FileReader> reader = FileReader::Open(std::move(*source));
  ASSERT_TRUE(reader.ok());
  const SampleFormat format = reader->info().events[0].format;

  Ring ring(8192, ~uint64_t{0} - 12345 / 8 * 8);
  std::vector<std::pair<uint64_t, std::string>> lines;
  size_t wrapped = 0;
  const auto drain = [&] {
    const uint64_t tail = ring.control.data_tail;
    wrapped += tail / 8192 != ring.control.data_head / 8192;
    ring.consumer.Drain([&](const perf_event_header& header, util::Bytes body) {
      const util::Result<Record> record = DecodeRecord(header, body, format);
      ASSERT_TRUE(record.ok()) << record.error().message;
      const auto* sample = std::get_if<Sample>(&record->body);
      if (sample == nullptr) return;
      const std::vector<BranchEntry> entries(sample->branches->entries.begin(),
                                             sample->branches->entries.end());
      std::string line;
      branches::AppendBrstackLine(*record->where.pid, *record->where.tid, record->where.cpu,
                                  *record->where.time, entries, &line);
      lines.emplace_back(*record->where.time, line);
    });
  };
  for (;;) {
    auto next = reader->Next();
    ASSERT_TRUE(next.ok());
    if (!next->has_value()) break;
    const RawRecord& raw = (*next)->raw;
    if (raw.header.type >= kRecordHeaderAttr) continue;
    const std::vector<std::byte> bytes = MakeRecord(raw.header.type, raw.header.misc, raw.body);
    if (!ring.producer.Write(bytes)) {
      drain();
      ASSERT_TRUE(ring.producer.Write(bytes));
    }
  }
  drain();
  EXPECT_EQ(ring.consumer.corruptions(), 0u);
  EXPECT_GT(wrapped, 0u);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::vector<std::string> expected = testing::ExpectedLines(folder, recording);
  ASSERT_EQ(lines.size(), expected.size());
  for (size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i].second, expected[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(All, PerfRingRecordingsTest, ::testing::ValuesIn(testing::Recordings()),
                         testing::RecordingName);

TEST(PerfRingTest, SurvivesDamagedRecordings) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string text =
      testing::ReadFile(testing::RecordingPath(folder, testing::Recordings()[0]));
  const util::Bytes file = std::as_bytes(std::span<const char>(text));
  SampleFormat format;
  format.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
  std::mt19937_64 random(99);
  Ring ring(4096);
  uint64_t records = 0;
  for (int round = 0; round < 20000; ++round) {
    // Arbitrary bytes, as from a faulty producer.
    const size_t size = random() % 512;
    const size_t begin = random() % (file.size() - size);
    ring.producer.Write(file.subspan(begin, size));
    ring.consumer.Drain([&](const perf_event_header& header, util::Bytes body) {
      (void)DecodeRecord(header, body, format);
      ++records;
    });
    ASSERT_EQ(ring.consumer.pending(), 0u);
  }
  EXPECT_GT(ring.consumer.corruptions(), 0u);
}

}  // namespace
}  // namespace perf
