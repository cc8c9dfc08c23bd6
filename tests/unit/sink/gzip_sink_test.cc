// SPDX-License-Identifier: BSD-2-Clause
// zcat decompresses the files.
#include "sink/gzip_sink.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "unit/sink/sink_test_support.h"

namespace sink {
namespace {

using testing::EndsAtARecord;
using testing::ReadBytes;
using testing::Records;
using testing::TemporaryFolder;
using testing::Zcat;

class GzipSinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Zcat("/dev/null")) GTEST_SKIP() << "no zcat to check with";
  }
  Output Open(const std::string& path) {
    auto output = Output::OpenFile(path);
    EXPECT_TRUE(output.ok());
    return std::move(*output);
  }
  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "trace.fxt.gz";
};

TEST_F(GzipSinkTest, DecompressesToTheRecords) {
  for (const int level : {1, 6, 12}) {
    GzipSink sink(Open(path_), {.level = level});
    const auto bytes = Records(1'500'000, 1);
    for (size_t at = 0; at < bytes.size(); at += 100'000) {
      ASSERT_TRUE(
          sink.Write(std::span(bytes).subspan(at, std::min<size_t>(100'000, bytes.size() - at))));
    }
    ASSERT_TRUE(sink.Close().ok());
    ASSERT_TRUE(sink.Close().ok());
    EXPECT_FALSE(sink.Write(bytes)) << "closed";
    const auto unpacked = Zcat(path_);
    EXPECT_TRUE(unpacked->complete);
    EXPECT_TRUE(unpacked->bytes == bytes);
    EXPECT_EQ(sink.bytes_accepted(), bytes.size());
    EXPECT_EQ(sink.bytes_on_disk(), ReadBytes(path_).size());
    EXPECT_LT(sink.bytes_on_disk(), bytes.size());
  }
}

TEST_F(GzipSinkTest, WritesAnEmptyGzipFileWithoutRecords) {
  GzipSink sink(Open(path_));
  ASSERT_TRUE(sink.Flush());
  ASSERT_TRUE(sink.Close().ok());
  const auto unpacked = Zcat(path_);
  EXPECT_TRUE(unpacked->complete);
  EXPECT_TRUE(unpacked->bytes.empty());
}

// As after kill -9: the sink was flushed but not closed.
TEST_F(GzipSinkTest, DecompressesFlushedRecordsWithoutTheEnd) {
  GzipSink sink(Open(path_));
  std::vector<std::byte> all;
  for (uint32_t chunk = 0; chunk < 20; ++chunk) {
    const auto bytes = Records(1000 + chunk * 5000, chunk);
    all.insert(all.end(), bytes.begin(), bytes.end());
    ASSERT_TRUE(sink.Write(bytes));
    ASSERT_TRUE(sink.Flush());
    ASSERT_TRUE(sink.Flush());
    EXPECT_TRUE(Zcat(path_)->bytes == all) << chunk;
  }
}

TEST_F(GzipSinkTest, WritesFullMembersWithoutFlush) {
  GzipSink sink(Open(path_));
  for (uint32_t chunk = 0; chunk < 30; ++chunk) ASSERT_TRUE(sink.Write(Records(100'000, chunk)));
  EXPECT_GE(Zcat(path_)->bytes.size(), 30 * 100'000 - BlockCompressor::kMaxInputBytes);
}

// Returns the offset of each member, from the sizes in the members.
std::vector<size_t> MemberStarts(std::span<const std::byte> file) {
  std::vector<size_t> starts;
  for (size_t at = 0; at + 18 <= file.size();) {
    starts.push_back(at);
    at +=
        size_t{1} + static_cast<size_t>(file[at + 16]) + (static_cast<size_t>(file[at + 17]) << 8);
  }
  return starts;
}

// As after kill -9 during a write: every complete member ends with a record.
TEST_F(GzipSinkTest, HasWholeRecordsWhenCutAtAnyMember) {
  GzipSink sink(Open(path_));
  for (uint32_t chunk = 0; chunk < 12; ++chunk) {
    ASSERT_TRUE(sink.Write(Records(chunk * 20'011, chunk)));
    if (chunk % 5 == 4) {
      ASSERT_TRUE(sink.Flush());
    }
  }
  ASSERT_TRUE(sink.Close().ok());
  const auto file = ReadBytes(path_);
  const auto starts = MemberStarts(file);
  ASSERT_GT(starts.size(), 15u);
  size_t before = 0;
  for (const size_t start : starts) {
    const std::string cut = folder_ / "cut.gz";
    Open(cut).Write(std::span(file).first(start));
    const auto unpacked = Zcat(cut);
    EXPECT_TRUE(EndsAtARecord(unpacked->bytes)) << start;
    EXPECT_LE(unpacked->bytes.size(), before + BlockCompressor::kMaxInputBytes);
    before = unpacked->bytes.size();
  }
  EXPECT_EQ(before, sink.bytes_accepted());
}

TEST_F(GzipSinkTest, WritesARecordLongerThanAMember) {
  std::vector<uint64_t> words(40'000, 7);
  words[0] = 0xf | uint64_t{40'000} << 4;
  const auto large = std::as_bytes(std::span(words));
  auto all = Records(1000, 1);
  all.insert(all.end(), large.begin(), large.end());
  const auto more = Records(100'000, 2);
  all.insert(all.end(), more.begin(), more.end());
  GzipSink sink(Open(path_));
  ASSERT_TRUE(sink.Write(all));
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_TRUE(Zcat(path_)->bytes == all);
}

TEST_F(GzipSinkTest, StoresUnderPressure) {
  const auto bytes = Records(200'000, 1);
  size_t sizes[2];
  for (const bool may_fall : {false, true}) {
    GzipSink sink(Open(path_), {.level = 6, .may_fall = may_fall});
    sink.SetPressure(1);
    ASSERT_TRUE(sink.Write(bytes));
    sink.SetPressure(0.5);
    ASSERT_TRUE(sink.Write(bytes));
    ASSERT_TRUE(sink.Close().ok());
    const auto unpacked = Zcat(path_);
    EXPECT_TRUE(unpacked->complete);
    EXPECT_EQ(unpacked->bytes.size(), 2 * bytes.size());
    sizes[may_fall] = sink.bytes_on_disk();
  }
  EXPECT_GT(sizes[true], sizes[false] + bytes.size() / 10) << "the first half is stored";
  EXPECT_LT(sizes[true], 2 * bytes.size()) << "the second is not";
}

// Writes and flushes until an error, and checks the remaining file.
void CheckFull(const std::string& path, Output output, size_t flush_every) {
  GzipSink sink(std::move(output));
  std::vector<std::byte> all;
  bool ok = true;
  for (uint32_t chunk = 0; chunk < 10'000 && ok; ++chunk) {
    const auto bytes = Records(5000 + chunk % 100 * 77, chunk);
    ok = sink.Write(bytes) && (chunk % flush_every != 0 || sink.Flush());
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  ASSERT_FALSE(ok) << "it never got full";
  EXPECT_FALSE(sink.Write(Records(8, 1)));
  EXPECT_FALSE(sink.Flush());
  EXPECT_FALSE(sink.Close().ok());
  const auto unpacked = Zcat(path);
  EXPECT_TRUE(unpacked->complete) << "the file does not end as gzip files do";
  EXPECT_EQ(unpacked->bytes.size(), sink.bytes_accepted());
  EXPECT_GT(unpacked->bytes.size(), 0u);
  ASSERT_LE(unpacked->bytes.size(), all.size());
  EXPECT_TRUE(std::equal(unpacked->bytes.begin(), unpacked->bytes.end(), all.begin()));
  EXPECT_TRUE(EndsAtARecord(unpacked->bytes));
}

TEST_F(GzipSinkTest, FullDiskLeavesAWholeFile) {
  for (const size_t flush_every : {1, 7, 1'000'000}) {
    const auto disk = testing::SmallDisk::Mount(1'500'000);
    if (!disk) GTEST_SKIP() << "mounting a small disk takes root";
    CheckFull(*disk / "trace.fxt.gz", Open(*disk / "trace.fxt.gz"), flush_every);
  }
}

TEST_F(GzipSinkTest, FileSizeLimitLeavesAWholeFile) {
  for (const size_t limit : {1'000'000, 1'000'001, 1'012'345}) {
    const testing::FileSizeLimit full(limit);
    CheckFull(path_, Open(path_), 5);
  }
}

TEST_F(GzipSinkTest, ReportsAClosedPipe) {
  const testing::IgnoreSigpipe ignore;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  util::UniqueFd read_end(ends[0]);
  GzipSink sink(Output(util::UniqueFd(ends[1]), "standard output"));
  read_end.reset();
  ASSERT_TRUE(sink.Write(Records(1000, 1))) << "nothing has reached the pipe yet";
  EXPECT_FALSE(sink.Flush());
  EXPECT_FALSE(sink.Write(Records(1000, 1)));
  const auto status = sink.Close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the reader of standard output closed it");
}

TEST_F(GzipSinkTest, WritesToAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const util::UniqueFd read_end(ends[0]);
  std::vector<std::byte> received;
  std::thread reader([&] {
    std::array<std::byte, 10'000> buffer;
    for (;;) {
      const ssize_t got = read(read_end.get(), buffer.data(), buffer.size());
      if (got <= 0) break;
      received.insert(received.end(), buffer.begin(), buffer.begin() + got);
    }
  });
  const auto bytes = Records(1'000'000, 1);
  GzipSink sink(Output(util::UniqueFd(ends[1]), "standard output"));
  EXPECT_TRUE(sink.Write(bytes));
  EXPECT_TRUE(sink.Close().ok());
  reader.join();
  {
    Output file = Open(path_);
    file.Write(received);
  }
  const auto unpacked = Zcat(path_);
  EXPECT_TRUE(unpacked->complete);
  EXPECT_TRUE(unpacked->bytes == bytes);
}

}  // namespace
}  // namespace sink
