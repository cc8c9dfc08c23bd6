// SPDX-License-Identifier: BSD-2-Clause
#include "capture/mapped_build_ids.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>

#include "support/temp_folder.h"
#include "symbols/build_id_note.h"
#include "util/unique_fd.h"

namespace capture {
namespace {

constexpr const char* kProgram = "/usr/bin/env";

// A mapping of the program in this process, where it is not mapped: its path leads to it.
CodeMapping MappingOf(std::string_view path) {
  struct stat status {};
  if (stat(std::string(path).c_str(), &status) != 0) return {};
  return {.tgid = static_cast<uint32_t>(getpid()),
          .start = 0x1000,
          .end = 0x2000,
          .device = DeviceOf(major(status.st_dev), minor(status.st_dev)),
          .inode = status.st_ino,
          .path = path};
}

class MappedBuildIdsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const util::UniqueFd file(open(kProgram, O_RDONLY | O_CLOEXEC));
    if (const auto id = symbols::ReadBuildId(file.get())) expected_ = *id;
    if (expected_.empty()) GTEST_SKIP() << kProgram << " has no build id";
  }

  util::BuildId expected_;
  MappedBuildIds ids_;
};

TEST_F(MappedBuildIdsTest, ReadsTheFileOfAMapping) {
  EXPECT_EQ(ids_.Of(MappingOf(kProgram)), expected_);
}

TEST_F(MappedBuildIdsTest, FindsAFileWhoseProcessHasExited) {
  CodeMapping mapping = MappingOf(kProgram);
  mapping.tgid = 1 << 30;
  EXPECT_EQ(ids_.Of(mapping), expected_);
}

TEST_F(MappedBuildIdsTest, AFileThatWasWrittenAgainInItsPlaceIsReadAgain) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "program";
  std::ofstream(path) << "no ELF file";
  EXPECT_TRUE(ids_.Of(MappingOf(path)).empty());
  std::ofstream(path, std::ios::trunc) << std::ifstream(kProgram).rdbuf();
  EXPECT_EQ(ids_.Of(MappingOf(path)), expected_);
}

TEST_F(MappedBuildIdsTest, AnotherFileOfThatPathIsNotTheMappedOne) {
  CodeMapping mapping = MappingOf(kProgram);
  ++mapping.inode;
  EXPECT_TRUE(ids_.Of(mapping).empty());
  EXPECT_EQ(ids_.Of(MappingOf(kProgram)), expected_);
}

TEST_F(MappedBuildIdsTest, MappingsWithoutAFileHaveNone) {
  CodeMapping mapping = MappingOf(kProgram);
  mapping.inode = 0;
  EXPECT_TRUE(ids_.Of(mapping).empty());
  mapping = MappingOf(kProgram);
  mapping.path = "[vdso]";
  EXPECT_TRUE(ids_.Of(mapping).empty());
}

}  // namespace
}  // namespace capture
