// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/seekable_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace perf {
namespace {

TEST(SeekableSourceTest, ReadsAFileFromAnyPlace) {
  auto source = OpenFile("/proc/self/exe");
  ASSERT_TRUE(source.ok());
  std::array<std::byte, 4> head;
  ASSERT_EQ(*(*source)->Read(head), 4u);
  EXPECT_EQ(head[1], std::byte{'E'});
  ASSERT_TRUE((*source)->size().has_value());
  ASSERT_TRUE((*source)->Seek(*(*source)->size() - 2));
  EXPECT_EQ(*(*source)->Read(head), 2u);
  EXPECT_EQ(*(*source)->Read(head), 0u);
}

TEST(SeekableSourceTest, ReportsWhyAFileCannotBeOpened) {
  const auto absent = OpenFile("/nonexistent/perf.data");
  ASSERT_FALSE(absent.ok());
  EXPECT_NE(absent.error().message.find("No such file"), std::string::npos);
  const auto folder = OpenFile("/");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.error().message.find("directory"), std::string::npos);
}

TEST(SeekableSourceTest, WaitsForAPipeThatDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  auto source = MakeFdSource(util::UniqueFd(ends[0]), "pipe");
  EXPECT_FALSE(source->size().has_value());
  EXPECT_FALSE(source->Seek(0).ok());
  ssize_t written = 0;
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    written += write(ends[1], "ab", 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    written += write(ends[1], "c", 1);
    close(ends[1]);
  });
  std::array<std::byte, 4> bytes;
  const auto read = source->Read(bytes);
  writer.join();
  EXPECT_EQ(written, 3);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, 3u);
  EXPECT_EQ(bytes[2], std::byte{'c'});
}

TEST(SeekableSourceTest, ReadsMemoryAsAFileOrAPipe) {
  const std::array<std::byte, 3> memory = {std::byte{1}, std::byte{2}, std::byte{3}};
  std::array<std::byte, 2> bytes;
  auto file = MakeMemorySource(memory);
  EXPECT_EQ(file->size(), 3u);
  EXPECT_EQ(*file->Read(bytes), 2u);
  EXPECT_TRUE(file->Seek(2));
  EXPECT_EQ(*file->Read(bytes), 1u);
  EXPECT_EQ(bytes[0], std::byte{3});
  auto pipe = MakeMemorySource(memory, false);
  EXPECT_FALSE(pipe->size().has_value());
  EXPECT_FALSE(pipe->Seek(0).ok());
}

}  // namespace
}  // namespace perf
