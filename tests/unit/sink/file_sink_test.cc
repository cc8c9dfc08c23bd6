// SPDX-License-Identifier: BSD-2-Clause
#include "sink/file_sink.h"

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

TEST(FileSinkTest, WritesAllRecords) {
  const TemporaryFolder folder;
  auto output = Output::OpenFile(folder / "trace.fxt");
  ASSERT_TRUE(output.ok());
  FileSink sink(std::move(*output));
  const auto bytes = Records(3'000'000, 1);
  ASSERT_TRUE(sink.Write(bytes));
  EXPECT_EQ(ReadBytes(folder / "trace.fxt").size(), bytes.size()) << "without Flush() even";
  ASSERT_TRUE(sink.Flush());
  EXPECT_EQ(sink.bytes_accepted(), bytes.size());
  EXPECT_EQ(sink.bytes_on_disk(), bytes.size());
  ASSERT_TRUE(sink.Close().ok());
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_FALSE(sink.Write(bytes)) << "closed";
  EXPECT_TRUE(ReadBytes(folder / "trace.fxt") == bytes);
}

// Writes to `path` until an error and checks the remaining file.
void CheckFull(const std::string& path, const std::string& reason) {
  auto output = Output::OpenFile(path);
  ASSERT_TRUE(output.ok());
  FileSink sink(std::move(*output));
  std::vector<std::byte> all;
  bool ok = true;
  for (uint32_t chunk = 0; chunk < 1000 && ok; ++chunk) {
    const auto bytes = Records(10'000 + chunk * 77, chunk);
    ok = sink.Write(bytes);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  ASSERT_FALSE(ok) << "it never got full";
  EXPECT_FALSE(sink.Write(Records(8, 1)));
  EXPECT_FALSE(sink.Flush());
  const auto status = sink.Close();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(reason), std::string::npos) << status.error().message;
  const auto kept = ReadBytes(path);
  EXPECT_EQ(sink.bytes_accepted(), kept.size());
  EXPECT_EQ(sink.bytes_on_disk(), kept.size());
  ASSERT_LE(kept.size(), all.size());
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), all.begin()));
  EXPECT_TRUE(EndsAtARecord(kept)) << kept.size();
}

TEST(FileSinkTest, FullDiskLeavesWholeRecords) {
  constexpr size_t kDiskBytes = 64 * 4096;
  const auto disk = testing::SmallDisk::Mount(kDiskBytes);
  if (!disk) GTEST_SKIP() << "mounting a small disk takes root";
  CheckFull(*disk / "trace.fxt", "No space left on device");
  const auto kept = ReadBytes(*disk / "trace.fxt").size();
  EXPECT_GT(kept, kDiskBytes - 8192) << "no more than a record and a page are given back";
}

TEST(FileSinkTest, FileSizeLimitLeavesWholeRecords) {
  const TemporaryFolder folder;
  // The limit falls at any place of a word and of a record.
  for (size_t limit = 50'000; limit < 50'400; limit += 13) {
    SCOPED_TRACE(limit);
    const testing::FileSizeLimit full(limit);
    CheckFull(folder / "trace.fxt", "File too large");
    EXPECT_GT(ReadBytes(folder / "trace.fxt").size(), limit - 41 * 8);
  }
}

TEST(FileSinkTest, ReportsAClosedPipe) {
  const testing::IgnoreSigpipe ignore;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  util::UniqueFd read_end(ends[0]);
  FileSink sink(Output(util::UniqueFd(ends[1]), "standard output"));
  std::thread reader([&] {
    std::array<std::byte, 1000> buffer;
    for (size_t got = 0; got < 500'000;) {
      const ssize_t bytes = read(read_end.get(), buffer.data(), buffer.size());
      if (bytes <= 0) break;
      got += static_cast<size_t>(bytes);
    }
    read_end.reset();
  });
  bool ok = true;
  for (uint32_t chunk = 0; chunk < 1000 && ok; ++chunk) ok = sink.Write(Records(100'000, chunk));
  reader.join();
  EXPECT_FALSE(ok);
  EXPECT_GE(sink.bytes_on_disk(), 500'000u);
  const auto status = sink.Close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the reader of standard output closed it");
}

}  // namespace
}  // namespace sink
