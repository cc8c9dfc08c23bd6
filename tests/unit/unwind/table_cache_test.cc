// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_folder.h"
#include "symbols/elf_file.h"
#include "util/unique_fd.h"

namespace unwind {
namespace {

fxr_unwind_file FileOf(const struct stat& file) {
  return {.inode = file.st_ino,
          .size = static_cast<uint64_t>(file.st_size),
          .changed_s = static_cast<uint64_t>(file.st_ctim.tv_sec),
          .changed_ns = static_cast<uint32_t>(file.st_ctim.tv_nsec),
          .device = 1};
}

std::optional<UnwindTable> Find(const TableCache& cache, const fxr_unwind_file& file) {
  const auto kept = cache.Find(file);
  if (!kept) return std::nullopt;
  auto words = std::make_shared<std::vector<fxr_u32>>(kept->words);
  const auto put = [&](size_t at, std::span<const fxr_u32> piece) {
    ASSERT_LE(at + piece.size(), words->size());
    std::ranges::copy(piece, words->begin() + static_cast<ptrdiff_t>(at));
  };
  if (!kept->read(put)) return std::nullopt;
  if (words->empty()) return UnwindTable();
  const std::span<const fxr_u32> view(*words);
  return UnwindTable::Restore(kept->shape, view, std::move(words));
}

// Tables of a file that nothing has changed for a while: the C library.
class TableCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    Dl_info libc{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&getpid), &libc), 0);
    fd_ = util::UniqueFd(open(libc.dli_fname, O_RDONLY | O_CLOEXEC));
    struct stat file {};
    if (!fd_ || fstat(fd_.get(), &file) != 0) GTEST_SKIP() << "no C library";
    file_ = FileOf(file);
    const auto elf = symbols::ElfFile::Open(libc.dli_fname);
    ASSERT_TRUE(elf);
    table_ = UnwindTable::Read(*elf);
    if (table_.empty()) GTEST_SKIP() << "the C library has no table";
  }
  // The same file under another device number.
  fxr_unwind_file File(uint32_t device) const {
    fxr_unwind_file file = file_;
    file.device = device;
    return file;
  }
  std::string PathOf(uint32_t device) const {
    return folder_ + "/" + TableCache::NameOf(File(device));
  }

  const testing_support::TempFolder temp_;
  const std::string folder_ = temp_ / "cache";
  util::UniqueFd fd_;
  fxr_unwind_file file_{};
  UnwindTable table_;
};

TEST_F(TableCacheTest, ATableThatWasKeptIsTheSame) {
  TableCache cache = TableCache::Open(folder_);
  ASSERT_TRUE(cache.available());
  EXPECT_FALSE(Find(cache, file_));
  cache.Keep(file_, fd_.get(), table_);
  for (const TableCache& each : {TableCache::Open(folder_), TableCache::Open(folder_)}) {
    const auto found = Find(each, file_);
    ASSERT_TRUE(found);
    EXPECT_TRUE(std::ranges::equal(found->words(), table_.words()));
    EXPECT_EQ(found->file_offset(), table_.file_offset());
    EXPECT_EQ(found->pages(), table_.pages());
    EXPECT_EQ(found->rules_at(), table_.rules_at());
  }
}

TEST_F(TableCacheTest, AUseMakesAFileNew) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(file_, fd_.get(), table_);
  const auto kept = std::filesystem::path(PathOf(1));
  const auto now = std::filesystem::last_write_time(kept);
  std::filesystem::last_write_time(kept, now - std::chrono::hours(24));
  EXPECT_TRUE(Find(cache, file_));
  EXPECT_GE(std::filesystem::last_write_time(kept), now);
}

TEST_F(TableCacheTest, AFileWithoutATableIsRemembered) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(file_, fd_.get(), UnwindTable());
  const auto found = Find(cache, file_);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

TEST_F(TableCacheTest, AnotherFileGetsNoTable) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(file_, fd_.get(), table_);
  const auto other = [&](auto change) {
    fxr_unwind_file file = file_;
    change(file);
    EXPECT_FALSE(Find(cache, file));
    // The name alone is not enough either.
    std::filesystem::copy_file(PathOf(1), folder_ + "/" + TableCache::NameOf(file));
    EXPECT_FALSE(Find(cache, file));
  };
  other([](fxr_unwind_file& file) { ++file.inode; });
  other([](fxr_unwind_file& file) { ++file.size; });
  other([](fxr_unwind_file& file) { ++file.changed_s; });
  other([](fxr_unwind_file& file) { file.changed_ns ^= 1; });
  other([](fxr_unwind_file& file) { ++file.device; });
  EXPECT_TRUE(Find(cache, file_));
}

TEST_F(TableCacheTest, AFileThatMayHaveChangedIsNotKept) {
  TableCache cache = TableCache::Open(folder_);
  // Another one than the table's, and one that was written just now.
  fxr_unwind_file replaced = file_;
  ++replaced.inode;
  cache.Keep(replaced, fd_.get(), table_);
  EXPECT_FALSE(Find(cache, replaced));
  const std::string path = folder_ + "/new";
  std::ofstream(path) << "new";
  const util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat now {};
  ASSERT_EQ(fstat(fd.get(), &now), 0);
  cache.Keep(FileOf(now), fd.get(), table_);
  EXPECT_FALSE(Find(cache, FileOf(now)));
}

TEST_F(TableCacheTest, DamagedFilesAreNotUsed) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(file_, fd_.get(), table_);
  std::ifstream in(PathOf(1), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_GT(whole.size(), table_.words().size_bytes());
  const auto write = [&](const std::string& text) {
    std::ofstream(PathOf(1), std::ios::binary | std::ios::trunc) << text;
  };
  // Each byte of the header and some of all.
  const size_t step = whole.size() / 300;
  for (size_t at = 0; at < whole.size(); at += at < 72 ? 1 : step) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write(damaged);
    EXPECT_FALSE(Find(cache, file_)) << at;
  }
  for (size_t size : {size_t{0}, size_t{1}, size_t{55}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_FALSE(Find(cache, file_)) << size;
  }
  write(whole + "x");
  EXPECT_FALSE(Find(cache, file_));
  write(whole);
  EXPECT_TRUE(Find(cache, file_));
}

TEST_F(TableCacheTest, FilesThatOthersMayChangeAreNotUsed) {
  TableCache cache = TableCache::Open(folder_);
  cache.Keep(file_, fd_.get(), table_);
  ASSERT_EQ(chmod(PathOf(1).c_str(), 0620), 0);
  EXPECT_FALSE(Find(cache, file_));
  ASSERT_EQ(chmod(PathOf(1).c_str(), 0600), 0);
  EXPECT_TRUE(Find(cache, file_));
  // A second name, and a symbolic link.
  const std::string other = folder_ + "/other";
  ASSERT_EQ(link(PathOf(1).c_str(), other.c_str()), 0);
  EXPECT_FALSE(Find(cache, file_));
  ASSERT_EQ(unlink(PathOf(1).c_str()), 0);
  ASSERT_EQ(symlink(other.c_str(), PathOf(1).c_str()), 0);
  EXPECT_FALSE(Find(cache, file_));
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  EXPECT_FALSE(TableCache::Open(folder_).available());
  EXPECT_FALSE(TableCache::Open(folder_ + "/none/none").available());
}

TEST_F(TableCacheTest, TheOldestGoWhenItIsFull) {
  TableCache first = TableCache::Open(folder_);
  first.Keep(File(1), fd_.get(), table_);
  const uint64_t size = std::filesystem::file_size(PathOf(1));
  TableCache cache = TableCache::Open(folder_, 3 * size);
  for (uint32_t number = 2; number <= 5; ++number) {
    // Times of files may be coarse.
    const timespec times[2] = {{number, 0}, {number, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, PathOf(number - 1).c_str(), times, 0), 0);
    cache.Keep(File(number), fd_.get(), table_);
  }
  EXPECT_FALSE(Find(cache, File(1)));
  EXPECT_FALSE(Find(cache, File(2)));
  EXPECT_TRUE(Find(cache, File(5)));
  uint64_t used = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) used += entry.file_size();
  EXPECT_LE(used, 3 * size);
}

}  // namespace
}  // namespace unwind
