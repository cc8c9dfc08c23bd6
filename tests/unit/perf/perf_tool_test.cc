// SPDX-License-Identifier: BSD-2-Clause
// Files of the perf tool of this machine, compared with the output of `perf script`.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "perf/file/file_reader.h"
#include "perf/file/time_order.h"
#include "support/temp_folder.h"
#include "unit/support/perf_tool.h"

namespace perf {
namespace {

namespace fs = std::filesystem;

class PerfToolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing_support::WhyNoPerf().empty()) GTEST_SKIP() << testing_support::WhyNoPerf();
  }

  void Compare(const std::string& options, bool pipe) {
    const std::string path = folder_ / "perf.data";
    std::string why;
    auto expected = testing_support::RecordWithPerf(options, path, pipe, &why);
    // perf 6.1 gives up on some of its own compressed recordings.
    if (!expected) GTEST_SKIP() << "perf made no recording that it can read: " << why;
    std::vector<std::string> lines = ReadLines(path);
    // Samples with the same time on two CPUs have no defined order.
    std::sort(expected->begin(), expected->end());
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, *expected) << options;
  }

 private:
  std::vector<std::string> ReadLines(const std::string& path) {
    std::vector<std::string> lines;
    auto source = OpenFile(path);
    EXPECT_TRUE(source.ok());
    util::Result<FileReader> reader = FileReader::Open(std::move(*source));
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    if (!reader) return lines;
    TimeOrder order;
    const auto drain = [&] {
      while (auto ordered = order.Next()) {
        if (ordered->header.type != PERF_RECORD_SAMPLE) continue;
        const SampleFormat& format = reader->info().events.at(*ordered->event).format;
        const auto record = DecodeRecord(ordered->header, ordered->body, format);
        ASSERT_TRUE(record.ok()) << record.error().message;
        lines.push_back(testing_support::PerfScriptLine(
            *record->where.pid, *record->where.tid, record->where.time.value_or(0),
            std::get<Sample>(record->body).ip.value_or(0)));
      }
    };
    for (;;) {
      auto next = reader->Next();
      EXPECT_TRUE(next.ok()) << next.error().message;
      if (!next || !next->has_value()) break;
      if ((*next)->raw.header.type == kRecordFinishedRound) order.FinishRound();
      auto record = DecodeRecord((*next)->raw.header, (*next)->raw.body, reader->format(**next));
      EXPECT_TRUE(record.ok()) << record.error().message;
      if (record) order.Add(**next, TimeOf(*record));
      drain();
    }
    order.Finish();
    drain();
    EXPECT_FALSE(reader->truncated());
    return lines;
  }

  const testing_support::TempFolder folder_;
};

TEST_F(PerfToolTest, ReadsAFile) { Compare("-e cpu-clock -F 1999", false); }
TEST_F(PerfToolTest, ReadsAPipe) { Compare("-e cpu-clock -F 1999", true); }
TEST_F(PerfToolTest, ReadsACompressedFile) { Compare("-e cpu-clock -F 1999 -z", false); }
TEST_F(PerfToolTest, ReadsACompressedPipe) { Compare("-e cpu-clock -F 1999 -z=19", true); }
TEST_F(PerfToolTest, ReadsSeveralEventsOfTheWholeSystem) {
  Compare("-a -e cpu-clock:u,task-clock,page-faults -F 999 -d --phys-data", false);
}
TEST_F(PerfToolTest, ReadsAPipeOfTheWholeSystem) {
  Compare("-a -e cpu-clock,page-faults -F 999 --switch-events -k CLOCK_MONOTONIC", true);
}

}  // namespace
}  // namespace perf
