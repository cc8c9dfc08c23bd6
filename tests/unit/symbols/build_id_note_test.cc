// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/build_id_note.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "symbols/elf_file.h"
#include "util/unique_fd.h"

namespace symbols {
namespace {

util::UniqueFd FileOf(const std::vector<std::byte>& bytes) {
  util::UniqueFd file(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

// The reference is libelf's reading.
TEST(BuildIdNoteTest, IsThatOfTheProgram) {
  const char* const path = "/proc/self/exe";
  const util::UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  const auto elf = ElfFile::Open(path);
  ASSERT_TRUE(elf.ok());
  const auto id = ReadBuildId(file.get());
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(*id, elf->build_id());
}

TEST(BuildIdNoteTest, DamagedFilesAreRead) {
  const util::UniqueFd self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> head(4096);
  ASSERT_EQ(pread(self.get(), head.data(), head.size(), 0), static_cast<ssize_t>(head.size()));
  EXPECT_FALSE(ReadBuildId(FileOf({}).get()).has_value());
  EXPECT_FALSE(ReadBuildId(FileOf(std::vector<std::byte>(100)).get()).has_value());
  // Each byte of the header and of the segments in turn.
  for (size_t at = 4; at < 1024; ++at) {
    std::vector<std::byte> damaged = head;
    damaged[at] = std::byte{0xff};
    (void)ReadBuildId(FileOf(damaged).get());
  }
}

}  // namespace
}  // namespace symbols
