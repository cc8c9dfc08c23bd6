// SPDX-License-Identifier: BSD-2-Clause
#include "settings/build_ids.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "unit/settings/temporary_folder.h"

namespace settings {
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

TEST(BuildIdsTest, ReadsNotes) {
  const testing::TemporaryFolder folder;
  folder.Write("app", ElfWith("\x01\x02\x03\x0f"));
  BuildIds ids;
  EXPECT_EQ(ids.Of(folder.path() + "/app"), "0102030f");
  EXPECT_EQ(ids.Of(folder.path() + "/app"), "0102030f");
  EXPECT_NE(ids.Of("/proc/self/exe"), BuildIds::kUnreadable);
}

TEST(BuildIdsTest, OtherFilesHaveNone) {
  const testing::TemporaryFolder folder;
  std::string without = ElfWith("abcd");
  reinterpret_cast<Elf64_Ehdr*>(without.data())->e_phnum = 0;
  folder.Write("without", without);
  folder.Write("text", "text");
  folder.Write("short", ElfWith("abcd").substr(0, 70));
  BuildIds ids;
  EXPECT_EQ(ids.Of(folder.path() + "/without"), BuildIds::kNone);
  for (const std::string& path :
       {folder.path() + "/text", folder.path() + "/short", folder.path() + "/gone", folder.path(),
        std::string("/dev/null")}) {
    EXPECT_EQ(ids.Of(path), BuildIds::kUnreadable) << path;
  }
}

}  // namespace
}  // namespace settings
