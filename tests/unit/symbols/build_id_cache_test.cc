// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/build_id_cache.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <string>

#include "support/temp_folder.h"

namespace symbols {
namespace {

// An ELF file with nothing but a note of this build id.
std::string ElfWith(const std::string& id) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_phoff = sizeof(header);
  Elf64_Nhdr note{
      .n_namesz = 4, .n_descsz = static_cast<Elf64_Word>(id.size()), .n_type = NT_GNU_BUILD_ID};
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(header) + sizeof(segment);
  segment.p_filesz = sizeof(note) + 4 + id.size();
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  file.append(reinterpret_cast<const char*>(&segment), sizeof(segment));
  file.append(reinterpret_cast<const char*>(&note), sizeof(note));
  return file + std::string("GNU\0", 4) + id;
}

util::BuildId IdOf(const std::string& bytes) {
  return util::BuildId::FromBytes(std::as_bytes(std::span(bytes)));
}

class BuildIdCacheTest : public ::testing::Test {
 protected:
  testing_support::TempFolder folder_;
  BuildIdCache ids_;
};

TEST_F(BuildIdCacheTest, ReadsNotes) {
  const std::string path = folder_.Write("app", ElfWith("\x01\x02\x03\x0f"));
  EXPECT_EQ(ids_.OfPath(path), IdOf("\x01\x02\x03\x0f"));
  EXPECT_EQ(ids_.OfPath(path), IdOf("\x01\x02\x03\x0f"));
  EXPECT_TRUE(ids_.OfPath("/proc/self/exe").has_value());
}

TEST_F(BuildIdCacheTest, OtherFilesHaveNone) {
  std::string without = ElfWith("abcd");
  reinterpret_cast<Elf64_Ehdr*>(without.data())->e_phnum = 0;
  EXPECT_EQ(ids_.OfPath(folder_.Write("without", without)), util::BuildId());
  for (const std::string& path :
       {folder_.Write("text", "text"), folder_.Write("short", ElfWith("abcd").substr(0, 70)),
        folder_ / "gone", folder_.path().string(), std::string("/dev/null")}) {
    EXPECT_FALSE(ids_.OfPath(path).has_value()) << path;
  }
}

TEST_F(BuildIdCacheTest, AFileThatWasWrittenAgainInItsPlaceIsReadAgain) {
  const std::string path = folder_.Write("app", ElfWith("abcd"));
  EXPECT_EQ(ids_.OfPath(path), IdOf("abcd"));
  folder_.Write("app", ElfWith("abcdef"));
  EXPECT_EQ(ids_.OfPath(path), IdOf("abcdef"));
}

TEST_F(BuildIdCacheTest, KnowsAFileAtAnotherPath) {
  const std::string path = folder_.Write("app", ElfWith("abcd"));
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(ids_.Find(status), nullptr);
  ids_.OfPath(path);
  ASSERT_EQ(symlink("app", (folder_ / "link").c_str()), 0);
  ASSERT_EQ(stat((folder_ / "link").c_str(), &status), 0);
  const auto* known = ids_.Find(status);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(*known, IdOf("abcd"));
}

}  // namespace
}  // namespace symbols
