// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace unwind {
namespace {

class TableCacheTest : public testing::Test {
 protected:
  TableCacheTest() {
    std::string pattern = testing::TempDir() + "table_cache.XXXXXX";
    folder_ = std::string(mkdtemp(pattern.data())) + "/cache";
    auto file = symbols::ElfFile::Open("/proc/self/exe");
    EXPECT_TRUE(file);
    bytes_ = file->ReadSection(".eh_frame");
    section_ = {bytes_, file->SectionAddress(".eh_frame"), false};
    segments_ = file->segments();
    table_ = UnwindTable::Make(section_, segments_);
  }
  ~TableCacheTest() override {
    std::filesystem::remove_all(std::filesystem::path(folder_).parent_path());
  }

  void SetUp() override {
    if (table_.empty()) GTEST_SKIP() << "this program has no table";
  }
  static util::BuildId Id(uint8_t number) {
    const std::vector<std::byte> bytes(20, std::byte{number});
    return util::BuildId::FromBytes(bytes);
  }
  std::string PathOf(uint8_t number) const { return folder_ + "/" + Id(number).ToHex(); }

  std::string folder_;
  std::vector<std::byte> bytes_;
  FrameSection section_;
  std::vector<symbols::LoadSegment> segments_;
  UnwindTable table_;
};

TEST_F(TableCacheTest, ATableThatWasKeptIsTheSame) {
  TableCache cache = TableCache::Open(folder_);
  ASSERT_TRUE(cache.available());
  EXPECT_FALSE(cache.Find(Id(1), section_, segments_));
  cache.Keep(Id(1), section_, segments_, table_);
  for (const TableCache& each : {TableCache::Open(folder_), TableCache::Open(folder_)}) {
    const auto found = each.Find(Id(1), section_, segments_);
    ASSERT_TRUE(found);
    EXPECT_TRUE(std::ranges::equal(found->words(), table_.words()));
    EXPECT_EQ(found->file_offset(), table_.file_offset());
    EXPECT_EQ(found->pages(), table_.pages());
    EXPECT_EQ(found->rules_at(), table_.rules_at());
  }
}

TEST_F(TableCacheTest, AnotherFileWithTheSameBuildIdGetsNoTable) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(Id(1), section_, segments_, table_);
  std::vector<std::byte> other = bytes_;
  other[other.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(cache.Find(Id(1), {other, section_.address, false}, segments_));
  EXPECT_FALSE(cache.Find(Id(1), {bytes_, section_.address + 16, false}, segments_));
  EXPECT_FALSE(cache.Find(Id(1), {bytes_, section_.address, true}, segments_));
  auto moved = segments_;
  moved[0].address += 4096;
  EXPECT_FALSE(cache.Find(Id(1), section_, moved));
  EXPECT_TRUE(cache.Find(Id(1), section_, segments_));
}

TEST_F(TableCacheTest, DamagedFilesAreNotUsed) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(Id(1), section_, segments_, table_);
  std::ifstream in(PathOf(1), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_GT(whole.size(), bytes_.size());
  const auto write = [&](const std::string& text) {
    std::ofstream(PathOf(1), std::ios::binary | std::ios::trunc) << text;
  };
  // Each byte of the header and some of all.
  const size_t step = whole.size() / 300;
  for (size_t at = 0; at < whole.size(); at += at < 64 ? 1 : step) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write(damaged);
    EXPECT_FALSE(cache.Find(Id(1), section_, segments_)) << at;
  }
  for (size_t size : {size_t{0}, size_t{1}, size_t{55}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_FALSE(cache.Find(Id(1), section_, segments_)) << size;
  }
  write(whole + "x");
  EXPECT_FALSE(cache.Find(Id(1), section_, segments_));
  write(whole);
  EXPECT_TRUE(cache.Find(Id(1), section_, segments_));
}

TEST_F(TableCacheTest, FilesThatOthersMayChangeAreNotUsed) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(Id(1), section_, segments_, table_);
  ASSERT_EQ(chmod(PathOf(1).c_str(), 0620), 0);
  EXPECT_FALSE(cache.Find(Id(1), section_, segments_));
  ASSERT_EQ(chmod(PathOf(1).c_str(), 0600), 0);
  EXPECT_TRUE(cache.Find(Id(1), section_, segments_));
  // A second name, and a symbolic link.
  ASSERT_EQ(link(PathOf(1).c_str(), PathOf(2).c_str()), 0);
  EXPECT_FALSE(cache.Find(Id(1), section_, segments_));
  ASSERT_EQ(unlink(PathOf(2).c_str()), 0);
  ASSERT_EQ(symlink(PathOf(1).c_str(), PathOf(2).c_str()), 0);
  EXPECT_FALSE(cache.Find(Id(2), section_, segments_));
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  EXPECT_FALSE(TableCache::Open(folder_).available());
  EXPECT_FALSE(TableCache::Open(folder_ + "/none/none").available());
}

TEST_F(TableCacheTest, TheOldestGoWhenItIsFull) {
  TableCache first = TableCache::Open(folder_);
  first.Keep(Id(1), section_, segments_, table_);
  const uint64_t size = std::filesystem::file_size(PathOf(1));
  TableCache cache = TableCache::Open(folder_, 3 * size);
  for (uint8_t number = 2; number <= 5; ++number) {
    // Times of files may be coarse.
    const timespec times[2] = {{number, 0}, {number, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, PathOf(static_cast<uint8_t>(number - 1)).c_str(), times, 0), 0);
    cache.Keep(Id(number), section_, segments_, table_);
  }
  EXPECT_FALSE(cache.Find(Id(1), section_, segments_));
  EXPECT_FALSE(cache.Find(Id(2), section_, segments_));
  EXPECT_TRUE(cache.Find(Id(5), section_, segments_));
  uint64_t used = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) used += entry.file_size();
  EXPECT_LE(used, 3 * size);
}

}  // namespace
}  // namespace unwind
