// SPDX-License-Identifier: BSD-2-Clause
#include "capture/process_mappings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace capture {
namespace {

void AnyFunction() {}

TEST(ProcessMappingsTest, FindsTheFileOfThisProgram) {
  const auto place = reinterpret_cast<uintptr_t>(&AnyFunction);
  int found = 0;
  VisitCodeMappings("/proc", static_cast<uint32_t>(getpid()), [&](const CodeMapping& mapping) {
    if (place < mapping.start || place >= mapping.end) return true;
    ++found;
    struct stat self {};
    EXPECT_EQ(stat("/proc/self/exe", &self), 0);
    const auto file = FindMappedFile("/proc", mapping);
    EXPECT_TRUE(file.has_value());
    if (file) {
      EXPECT_EQ(file->identity.inode, self.st_ino);
      EXPECT_EQ(file->identity.size, static_cast<uint64_t>(self.st_size));
      EXPECT_TRUE(OpenCode(file->path, file->root).ok());
    }
    return true;
  });
  EXPECT_EQ(found, 1);
}

TEST(ProcessMappingsTest, MalformedLinesAreLeftOut) {
  const testing_support::TempFolder folder;
  folder.Write("7/maps",
               "nonsense\n"
               "2000-1000 r-xp 00000000 fe:00 5 /a\n"
               "1000-2000 r--p 00000000 fe:00 5 /b\n"
               "1000-zzzz r-xp 00000000 fe:00 5 /c\n"
               "1000-2000 r-xp 00001000 fe:02 5      /a file\n"
               "3000-4000 rwxp 00000000 00:00 0\n");
  std::vector<std::string> paths;
  VisitCodeMappings(folder.path(), 7, [&](const CodeMapping& mapping) {
    paths.emplace_back(mapping.path);
    if (paths.size() == 1) {
      EXPECT_EQ(mapping.offset, 0x1000u);
      EXPECT_EQ(mapping.device, 0xfe00002u);
      EXPECT_EQ(mapping.inode, 5u);
      EXPECT_FALSE(mapping.writable);
    }
    return true;
  });
  EXPECT_EQ(paths, (std::vector<std::string>{"/a file", ""}));
}

TEST(ProcessMappingsTest, KernelThreadsHaveNoArguments) {
  EXPECT_NE(ReadArguments("/proc", static_cast<uint32_t>(getpid())).value_or(0), 0u);
  std::ifstream comm("/proc/2/comm");
  std::string name;
  if (std::getline(comm, name) && name == "kthreadd") {
    EXPECT_FALSE(ReadArguments("/proc", 2).has_value());
  }
}

}  // namespace
}  // namespace capture
