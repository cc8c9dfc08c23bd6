// SPDX-License-Identifier: BSD-2-Clause
// Files that the perf tool of this machine writes, held against what `perf script` prints of them.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "perf_data/file_reader.h"
#include "perf_data/time_order.h"
#include "unit/perf_data/recordings.h"

namespace perf_data {
namespace {

namespace fs = std::filesystem;

struct Output {
  int status = -1;
  std::string text;
};

Output RunShell(const std::string& command) {
  Output output;
  FILE* pipe = popen(("exec 2>/dev/null; " + command).c_str(), "re");
  if (pipe == nullptr) return output;
  std::array<char, 65536> chunk;
  for (size_t n; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    output.text.append(chunk.data(), n);
  }
  output.status = pclose(pipe);
  return output;
}

class PerfToolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (RunShell("perf --version").status != 0) GTEST_SKIP() << "no perf tool on this machine";
    std::string name = (fs::temp_directory_path() / "perf_tool_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    // Asked once: a recording takes perf a second.
    static const bool may_record =
        RunShell("perf record -q -e cpu-clock -o - true | grep -q PERFILE2").status == 0;
    if (!may_record) GTEST_SKIP() << "perf may not record on this machine";
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  // Records a few hundred samples with `options`, and compares.
  void Compare(const std::string& options, bool pipe) {
    const std::string path = folder_ / "perf.data";
    const std::string record = fmt::format(
        "perf record -q {} -o {} -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); "
        "done' {}",
        options, pipe ? "-" : path, pipe ? "> " + path : "");
    ASSERT_EQ(RunShell(record).status, 0) << record;
    const Output script = RunShell(
        fmt::format("perf script -i {} --ns -F pid,tid,time,ip | sed 's/^ *//; s/  */ /g'", path));
    ASSERT_EQ(script.status, 0);
    std::vector<std::string> expected = testing::SplitLines(script.text);
    // perf 6.1 gives up on some of its own compressed recordings.
    if (expected.empty()) GTEST_SKIP() << "perf script printed nothing of its own recording";
    std::vector<std::string> lines = ReadLines(path);
    EXPECT_GT(expected.size(), 10u);
    // Samples of one time on two CPUs have no order among themselves.
    std::sort(expected.begin(), expected.end());
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, expected);
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
        const uint64_t time = record->where.time.value_or(0);
        lines.push_back(fmt::format("{}/{} {}.{:09}: {:x}", *record->where.pid, *record->where.tid,
                                    time / 1000000000, time % 1000000000,
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

  fs::path folder_;
};

TEST_F(PerfToolTest, ReadsAFile) { Compare("-e cpu-clock -F 1999", false); }
TEST_F(PerfToolTest, ReadsAPipe) { Compare("-e cpu-clock -F 1999", true); }
TEST_F(PerfToolTest, ReadsCompressedFiles) {
  Compare("-e cpu-clock -F 1999 -z", false);
  Compare("-e cpu-clock -F 1999 -z=19", true);
}
TEST_F(PerfToolTest, ReadsSeveralEventsOfTheWholeSystem) {
  Compare("-a -e cpu-clock:u,task-clock,page-faults -F 999 -d --phys-data", false);
  Compare("-a -e cpu-clock,page-faults -F 999 --switch-events -k CLOCK_MONOTONIC", true);
}

}  // namespace
}  // namespace perf_data
