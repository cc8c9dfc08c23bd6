// SPDX-License-Identifier: BSD-2-Clause
#include "source/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "fxt/reader.h"
#include "support/temp_folder.h"
#include "unit/analyze/recording_parts.h"

namespace source {
namespace {

namespace fs = std::filesystem;

class InputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto bytes = file_.Bytes();
    plain_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    uint64_t records = 0;
    fxt::MemorySource source(bytes);
    fxt::Reader reader(source);
    while (reader.Next() == fxt::ReadStatus::kRecord) ++records;
    records_ = records;
  }

  std::string Write(const std::string& name, const std::string& content) {
    const fs::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string WritePacked(const std::string& name) {
    const fs::path path = folder_.path() / name;
    gzFile out = gzopen(path.c_str(), "wb");
    EXPECT_NE(out, nullptr);
    EXPECT_EQ(gzwrite(out, plain_.data(), static_cast<unsigned>(plain_.size())),
              static_cast<int>(plain_.size()));
    gzclose(out);
    return path;
  }
  uint64_t Records(const std::string& path) {
    auto source = source::OpenInput(path);
    if (!source) {
      ADD_FAILURE() << source.error().message;
      return 0;
    }
    fxt::Reader reader(**source);
    uint64_t records = 0;
    while (reader.Next() == fxt::ReadStatus::kRecord) ++records;
    EXPECT_EQ(reader.error_message(), "");
    return records;
  }

  analyze::testing::RecordingParts file_ = analyze::testing::RecordingParts::Sound();
  std::string plain_;
  uint64_t records_ = 0;
  const testing_support::TempFolder folder_;
};

TEST_F(InputTest, DetectsGzipByContent) {
  EXPECT_EQ(Records(Write("plain.fxt", plain_)), records_);
  EXPECT_EQ(Records(Write("plain but called packed.gz", plain_)), records_);
  EXPECT_EQ(Records(WritePacked("packed.gz")), records_);
  EXPECT_EQ(Records(WritePacked("packed but called plain.fxt")), records_);
}

TEST_F(InputTest, ReadsPipes) {
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {Write("plain.fxt", plain_), WritePacked("packed.gz")}) {
    const std::string command = fmt::format("cat {} > {} &", path, fifo);
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(Records(fifo), records_);
  }
}

TEST_F(InputTest, ReadsStandardInput) {
  const int saved = dup(STDIN_FILENO);
  const int file = open(WritePacked("packed.gz").c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  dup2(file, STDIN_FILENO);
  EXPECT_EQ(Records("-"), records_);
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(file);
}

TEST_F(InputTest, ReportsUnreadableInput) {
  for (const std::string& path : {folder_ / "missing", folder_.path().string()}) {
    auto source = source::OpenInput(path);
    ASSERT_FALSE(source.ok());
    EXPECT_NE(source.error().message.find(path), std::string::npos);
  }
}

TEST_F(InputTest, ReadsAnEmptyFile) {
  auto source = source::OpenInput(Write("empty.fxt", ""));
  ASSERT_TRUE(source.ok());
  fxt::Reader reader(**source);
  EXPECT_EQ(reader.Next(), fxt::ReadStatus::kError);
  EXPECT_EQ(reader.error(), fxt::ReadError::kEmpty);
}

// Another program may have made standard input non-blocking, and be slow.
TEST_F(InputTest, WaitsForANonBlockingPipe) {
  for (const bool packed : {false, true}) {
    std::string content = plain_;
    if (packed) {
      std::ifstream file(WritePacked("packed"), std::ios::binary);
      content.assign(std::istreambuf_iterator<char>(file), {});
    }
    int fds[2];
    ASSERT_EQ(pipe2(fds, O_CLOEXEC), 0);
    ASSERT_EQ(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    std::thread writer([&] {
      for (const size_t begin : {size_t{0}, size_t{1}, size_t{20}}) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const size_t end = begin == 0 ? 1 : begin == 1 ? 20 : content.size();
        EXPECT_EQ(write(fds[1], content.data() + begin, end - begin),
                  static_cast<ssize_t>(end - begin));
      }
      close(fds[1]);
    });
    const int before = dup(STDIN_FILENO);
    dup2(fds[0], STDIN_FILENO);
    EXPECT_EQ(Records("-"), records_) << packed;
    dup2(before, STDIN_FILENO);
    close(before);
    close(fds[0]);
    writer.join();
  }
}

}  // namespace
}  // namespace source
