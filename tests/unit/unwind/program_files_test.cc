// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/program_files.h"

#include <gtest/gtest.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>

namespace unwind {
namespace {

std::string RealPath(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  return realpath(path.c_str(), real.data()) != nullptr ? real.data() : "";
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
TEST(ProgramFiles, AreThoseThatTheLoaderLoadedHere) {
  std::set<std::string> found;
  for (const std::string& path : ProgramFiles(RealPath("/proc/self/exe"))) {
    found.insert(RealPath(path));
  }
  std::set<std::string> loaded{RealPath("/proc/self/exe")};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const std::string name = info->dlpi_name;
        if (name.starts_with('/'))
          static_cast<std::set<std::string>*>(data)->insert(RealPath(name));
        return 0;
      },
      &loaded);
  EXPECT_GE(loaded.size(), 3u);
  for (const std::string& path : loaded) EXPECT_TRUE(found.contains(path)) << path;
}
#endif

TEST(ProgramFiles, OfAScriptAreThoseOfItsInterpreter) {
  const std::string path = testing::TempDir() + "program_files_script";
  std::ofstream(path) << "#! /bin/sh -e\necho\n";
  EXPECT_EQ(ProgramFiles(path), ProgramFiles("/bin/sh"));
  EXPECT_FALSE(ProgramFiles(path).empty());
  // An interpreter that is itself, and none.
  std::ofstream(path) << "#!" << path << "\n";
  EXPECT_TRUE(ProgramFiles(path).empty());
  std::ofstream(path) << "#!";
  EXPECT_TRUE(ProgramFiles(path).empty());
  unlink(path.c_str());
  EXPECT_TRUE(ProgramFiles(path).empty());
}

TEST(ProgramFiles, ADamagedCacheHasNoLibraries) {
  std::string cache = "glibc-ld.so.cache1.1";
  EXPECT_EQ(FindInLoaderCache(cache, "libc.so.6"), "");
  // A count and offsets beyond the end.
  cache.append(4 + 24, '\xff');
  EXPECT_EQ(FindInLoaderCache(cache, "libc.so.6"), "");
  cache += std::string("\x03\x03\0\0", 4) + std::string(8, '\xff') + std::string(12, '\0');
  EXPECT_EQ(FindInLoaderCache(cache, "libc.so.6"), "");
  EXPECT_EQ(FindInLoaderCache("", "libc.so.6"), "");
}

}  // namespace
}  // namespace unwind
