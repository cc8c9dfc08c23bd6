// SPDX-License-Identifier: BSD-2-Clause
// Decodes the genuine recordings and compares them with every line of perf's text output, and with
// every number of their README.
#include "unit/perf/recordings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "branches/brstack_text.h"
#include "perf/file/file_reader.h"
#include "perf/file/time_order.h"

namespace perf {
namespace {

using testing::Recording;

class RecordingsTest : public ::testing::TestWithParam<Recording> {};

constexpr uint64_t kKernelBit = uint64_t{1} << 63;

struct Decoded {
  std::vector<std::string> lines;
  std::map<std::string, size_t> records;
  size_t entries = 0;
  size_t mispredicted = 0;
  size_t predicted = 0;
  size_t with_cycles = 0;
  uint16_t largest_cycles = 0;
  size_t unfilled = 0;
  size_t from_in_kernel = 0;
  size_t to_in_kernel = 0;
  uint64_t first_time = 0;
};

void TakeSample(const Record& record, const Sample& sample, Decoded* decoded) {
  ASSERT_TRUE(sample.branches.has_value());
  ASSERT_TRUE(sample.trailing.empty());
  const std::vector<BranchEntry> entries(sample.branches->entries.begin(),
                                         sample.branches->entries.end());
  std::string line;
  branches::AppendBrstackLine(record.where.pid.value_or(0), record.where.tid.value_or(0),
                              record.where.cpu, record.where.time.value_or(0), entries, &line);
  decoded->lines.push_back(line);
  if (decoded->lines.size() == 1) decoded->first_time = record.where.time.value_or(0);
  decoded->entries += entries.size();
  for (const BranchEntry& entry : entries) {
    decoded->mispredicted += entry.mispredicted();
    decoded->predicted += entry.predicted();
    decoded->with_cycles += entry.cycles() != 0;
    decoded->largest_cycles = std::max(decoded->largest_cycles, entry.cycles());
    decoded->unfilled += entry.unfilled();
    decoded->from_in_kernel += (entry.from & kKernelBit) != 0;
    decoded->to_in_kernel += (entry.to & kKernelBit) != 0;
  }
}

void TakeOrdered(const FileReader& reader, TimeOrder* order, Decoded* decoded) {
  while (std::optional<OrderedRecord> owned = order->Next()) {
    const SampleFormat& format = reader.info().events.at(*owned->event).format;
    util::Result<Record> record = DecodeRecord(owned->header, owned->body, format);
    ASSERT_TRUE(record.ok()) << record.error().message;
    if (const auto* sample = std::get_if<Sample>(&record->body)) {
      TakeSample(*record, *sample, decoded);
    }
  }
}

Decoded DecodeFile(const std::filesystem::path& path) {
  Decoded decoded;
  auto source = OpenFile(path);
  EXPECT_TRUE(source.ok());
  util::Result<FileReader> reader = FileReader::Open(std::move(*source));
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  if (!reader) return decoded;
  EXPECT_EQ(reader->info().events.size(), 1u);
  TimeOrder order;
  for (;;) {
    auto next = reader->Next();
    EXPECT_TRUE(next.ok()) << next.error().message;
    if (!next || !next->has_value()) break;
    const FileRecord& raw = **next;
    ++decoded.records[RecordTypeName(raw.raw.header.type)];
    if (raw.raw.header.type == kRecordFinishedRound) order.FinishRound();
    if (raw.raw.header.type >= kRecordHeaderAttr) continue;
    util::Result<Record> record = DecodeRecord(raw.raw.header, raw.raw.body, reader->format(raw));
    EXPECT_TRUE(record.ok()) << record.error().message;
    if (!record) continue;
    order.Add(raw, TimeOf(*record));
    TakeOrdered(*reader, &order, &decoded);
  }
  order.Finish();
  TakeOrdered(*reader, &order, &decoded);
  EXPECT_EQ(order.late(), 0u);
  EXPECT_FALSE(reader->truncated());
  return decoded;
}

TEST_P(RecordingsTest, DecodeToWhatPerfPrints) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const Recording& recording = GetParam();
  const Decoded decoded = DecodeFile(testing::RecordingPath(folder, recording));
  const std::vector<std::string> expected = testing::ExpectedLines(folder, recording);
  ASSERT_EQ(expected.size(), recording.samples);
  ASSERT_EQ(decoded.lines.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(decoded.lines[i], expected[i]) << i;
}

TEST_P(RecordingsTest, HaveTheCountsOfTheirReadme) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const Recording& recording = GetParam();
  const Decoded decoded = DecodeFile(testing::RecordingPath(folder, recording));
  EXPECT_EQ(decoded.entries, recording.entries);
  EXPECT_EQ(decoded.mispredicted, recording.mispredicted);
  EXPECT_EQ(decoded.predicted, recording.predicted);
  EXPECT_EQ(decoded.with_cycles, recording.with_cycles);
  EXPECT_EQ(decoded.largest_cycles, recording.largest_cycles);
  EXPECT_EQ(decoded.unfilled, recording.unfilled);
  EXPECT_EQ(decoded.from_in_kernel, recording.from_in_kernel);
  EXPECT_EQ(decoded.to_in_kernel, recording.to_in_kernel);
  EXPECT_EQ(decoded.first_time, recording.first_time);
  EXPECT_EQ(decoded.records, recording.records);
}

INSTANTIATE_TEST_SUITE_P(All, RecordingsTest, ::testing::ValuesIn(testing::Recordings()),
                         testing::RecordingName);

}  // namespace
}  // namespace perf
