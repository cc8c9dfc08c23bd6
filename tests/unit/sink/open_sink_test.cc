// SPDX-License-Identifier: BSD-2-Clause
#include "sink/open_sink.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "fxt/provider_writer.h"
#include "unit/sink/sink_test_support.h"

namespace sink {
namespace {

using testing::ReadBytes;
using testing::Records;

TEST(OpenSinkTest, CompressesByNameOrByOption) {
  EXPECT_TRUE(WantsGzip({.path = "trace.fxt.gz"}));
  EXPECT_TRUE(WantsGzip({.path = "-", .gzip = true}));
  EXPECT_FALSE(WantsGzip({.path = "trace.fxt"}));
  EXPECT_FALSE(WantsGzip({.path = "-"}));
  EXPECT_FALSE(WantsGzip({.path = "gz"}));
}

TEST(OpenSinkTest, WritesTheSameToFileAndGzipFile) {
  const testing::TemporaryFolder folder;
  const auto bytes = Records(700'000, 1);
  for (const char* name : {"trace.fxt", "trace.fxt.gz"}) {
    auto sink = OpenSink({.path = folder / name});
    ASSERT_TRUE(sink.ok());
    ASSERT_TRUE((*sink)->Write(bytes));
    ASSERT_TRUE((*sink)->Flush());
    ASSERT_TRUE((*sink)->Close().ok());
  }
  EXPECT_TRUE(ReadBytes(folder / "trace.fxt") == bytes);
  const auto unpacked = testing::Zcat(folder / "trace.fxt.gz");
  if (!unpacked) GTEST_SKIP() << "no zcat to check with";
  EXPECT_TRUE(unpacked->complete);
  EXPECT_TRUE(unpacked->bytes == bytes);
}

TEST(OpenSinkTest, OpensStandardOutput) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const util::UniqueFd read_end(ends[0]);
  std::fflush(stdout);
  util::UniqueFd before(dup(STDOUT_FILENO));
  ASSERT_GE(dup2(ends[1], STDOUT_FILENO), 0);
  close(ends[1]);
  auto sink = OpenSink({.path = "-"});
  dup2(before.get(), STDOUT_FILENO);
  ASSERT_TRUE(sink.ok());
  const auto bytes = Records(30'000, 1);
  ASSERT_TRUE((*sink)->Write(bytes));
  ASSERT_TRUE((*sink)->Close().ok());
  std::vector<std::byte> received(bytes.size() + 1);
  size_t got = 0;
  for (ssize_t part = 1; part > 0; got += static_cast<size_t>(part)) {
    part = read(read_end.get(), received.data() + got, received.size() - got);
    ASSERT_GE(part, 0);
  }
  received.resize(got);
  EXPECT_TRUE(received == bytes) << "and then its end";
}

TEST(OpenSinkTest, ReturnsErrorsOfTheOutput) {
  const auto sink = OpenSink({.path = "/no/such/folder/trace.fxt"});
  ASSERT_FALSE(sink.ok());
  EXPECT_NE(sink.error().message.find("/no/such/folder/trace.fxt"), std::string::npos);
}

// From records to a disk that fills up and a file of whole records.
TEST(OpenSinkTest, ReportsAFullDisk) {
  const testing::TemporaryFolder folder;
  const testing::FileSizeLimit full(300'001);
  auto sink = OpenSink({.path = folder / "trace.fxt"});
  ASSERT_TRUE(sink.ok());
  fxt::EncodeStatus status = fxt::EncodeStatus::kOk;
  {
    fxt::ArchiveWriter archive(**sink, 4096);
    fxt::ProviderWriter writer(archive, "fxt-record");
    const fxt::ThreadKey one{.handle = 1, .process = 1, .thread = 1};
    const fxt::ThreadKey two{.handle = 2, .process = 2, .thread = 2};
    for (fxt::Ticks time = 0; time < 10'000'000 && status == fxt::EncodeStatus::kOk; ++time) {
      status = writer.WriteContextSwitch(time, 0, fxt::ThreadState::kBlocked, one, two, 120, 120);
    }
  }
  EXPECT_EQ(status, fxt::EncodeStatus::kSinkFailed);
  EXPECT_FALSE((*sink)->Close().ok());
  const auto bytes = ReadBytes(folder / "trace.fxt");
  EXPECT_GT(bytes.size(), 290'000u);
  EXPECT_TRUE(testing::EndsAtARecord(bytes));
}

}  // namespace
}  // namespace sink
