// SPDX-License-Identifier: BSD-2-Clause
#include "probes/file_finder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/temp_folder.h"

namespace probes {
namespace {

class FileFinderTest : public ::testing::Test {
 protected:
  FileFinderTest() {
    temp_.Write("bin/shop", "x");
    temp_.Write("lib/libshop.so.3", "x");
    places_.programs = folder_ + "/nowhere:" + folder_ + "/bin";
    places_.library_cache = folder_ + "/none";
    places_.libraries = {folder_ + "/lib"};
  }

  std::string Find(const std::string& name) {
    auto found = FindFile(name, places_);
    return found ? found->substr(folder_.size()) : "error: " + found.error().message;
  }

  const testing_support::TempFolder temp_;
  const std::string folder_ = std::filesystem::canonical(temp_.path()).string();
  SearchPaths places_;
};

TEST_F(FileFinderTest, ProgramsAndLibrariesAreFoundByTheirNames) {
  EXPECT_EQ(Find("shop"), "/bin/shop");
  EXPECT_EQ(Find("libshop.so.3"), "/lib/libshop.so.3");
  EXPECT_EQ(Find("libshop.so"), "/lib/libshop.so.3");
  EXPECT_EQ(Find("libshop"), "/lib/libshop.so.3");
  EXPECT_EQ(Find(folder_ + "/bin/shop"), "/bin/shop");
}

TEST_F(FileFinderTest, LinksAreFollowed) {
  std::filesystem::create_symlink("shop", folder_ + "/bin/store");
  EXPECT_EQ(Find("store"), "/bin/shop");
}

TEST_F(FileFinderTest, MissingFileIsAnError) {
  EXPECT_EQ(Find("sho"), "error: there is no program and no library 'sho'");
  EXPECT_EQ(Find(folder_ + "/bin"), "error: there is no file '" + folder_ + "/bin'");
  EXPECT_EQ(Find("libshop.so.4"), "error: there is no program and no library 'libshop.so.4'");
}

TEST_F(FileFinderTest, TheMachinesOwnLibraryIsFound) {
  auto found = FindFile("libc.so.6", SystemSearchPaths());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NE(found->find("libc"), std::string::npos);
}

TEST_F(FileFinderTest, SurvivesMalformedCaches) {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  std::string cache{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (cache.empty()) GTEST_SKIP() << "this machine has no such cache";
  EXPECT_FALSE(ReadLibraryCache(cache).empty());
  for (size_t size = 0; size < 200 && size < cache.size(); ++size) {
    ReadLibraryCache({cache.data(), size});
  }
  for (size_t at = 0; at < 200 && at < cache.size(); ++at) {
    std::string damaged = cache;
    damaged[at] = '\xff';
    ReadLibraryCache(damaged);
  }
}

}  // namespace
}  // namespace probes
