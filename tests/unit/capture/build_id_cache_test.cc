// SPDX-License-Identifier: BSD-2-Clause
#include "capture/build_id_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/temp_folder.h"
#include "symbols/build_id_note.h"
#include "util/unique_fd.h"

namespace capture {
namespace {

constexpr const char* kProgram = "/usr/bin/env";

// A mapping of the program in this process, where it is not mapped: its path leads to it.
perf::MmapRecord MappingOf(const std::string& path) {
  perf::MmapRecord mapping;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return mapping;
  mapping.pid = static_cast<uint32_t>(getpid());
  mapping.address = 0x1000;
  mapping.size = 0x1000;
  mapping.device_major = major(status.st_dev);
  mapping.device_minor = minor(status.st_dev);
  mapping.inode = status.st_ino;
  mapping.file = path;
  return mapping;
}

class BuildIdCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const util::UniqueFd file(open(kProgram, O_RDONLY | O_CLOEXEC));
    if (const auto id = symbols::ReadBuildId(file.get())) expected_ = *id;
    if (expected_.empty()) GTEST_SKIP() << kProgram << " has no build id";
  }

  util::BuildId expected_;
  BuildIdCache cache_;
};

TEST_F(BuildIdCacheTest, ReadsTheFileOfAMapping) {
  EXPECT_EQ(cache_.Of(MappingOf(kProgram)), expected_);
}

TEST_F(BuildIdCacheTest, FindsAFileWhoseProcessHasExited) {
  perf::MmapRecord mapping = MappingOf(kProgram);
  mapping.pid = 1 << 30;
  EXPECT_EQ(cache_.Of(mapping), expected_);
}

TEST_F(BuildIdCacheTest, AKnownFileIsNotReadAgain) {
  ASSERT_EQ(cache_.Of(MappingOf(kProgram)), expected_);
  perf::MmapRecord mapping = MappingOf(kProgram);
  mapping.file = "/nowhere";
  EXPECT_EQ(cache_.Of(mapping), expected_);
}

TEST_F(BuildIdCacheTest, AFileThatWasWrittenAgainInItsPlaceIsReadAgain) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "program";
  std::ofstream(path) << "no ELF file";
  EXPECT_TRUE(cache_.Of(MappingOf(path)).empty());
  std::ofstream(path, std::ios::trunc) << std::ifstream(kProgram).rdbuf();
  EXPECT_EQ(cache_.Of(MappingOf(path)), expected_);
}

TEST_F(BuildIdCacheTest, AnotherFileOfThatPathIsNotTheMappedOne) {
  perf::MmapRecord mapping = MappingOf(kProgram);
  ++mapping.inode;
  EXPECT_TRUE(cache_.Of(mapping).empty());
  EXPECT_EQ(cache_.Of(MappingOf(kProgram)), expected_);
}

TEST_F(BuildIdCacheTest, MappingsWithoutAFileHaveNone) {
  perf::MmapRecord mapping = MappingOf(kProgram);
  mapping.inode = 0;
  EXPECT_TRUE(cache_.Of(mapping).empty());
  mapping = MappingOf(kProgram);
  mapping.kernel = true;
  EXPECT_TRUE(cache_.Of(mapping).empty());
  mapping.kernel = false;
  mapping.file = "[vdso]";
  EXPECT_TRUE(cache_.Of(mapping).empty());
}

}  // namespace
}  // namespace capture
