// SPDX-License-Identifier: BSD-2-Clause
#include "output/kept_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_folder.h"
#include "util/unique_fd.h"

namespace output {
namespace {

class KeptFilesTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, time_t changed, const std::string& content = "\x1f\x8b") {
    std::ofstream(folder_ / name) << content;
    const timespec times[2] = {{changed, 0}, {changed, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder_ / name).c_str(), times, 0), 0);
  }
  bool Exists(const std::string& name) { return std::filesystem::exists(folder_.path() / name); }

  const testing_support::TempFolder folder_;
};

TEST_F(KeptFilesTest, RemovesTheOldest) {
  Put("day-3.fxt.gz", 300);
  Put("day-1.fxt.gz", 100);
  Put("day-2.fxt.gz", 200);
  Put("day-x.fxt.gz", 1);
  const auto pattern = NamePattern::Parse(folder_ / "day-%n.fxt.gz");
  ASSERT_TRUE(pattern.ok());
  KeptFiles all(*pattern, 0), three(*pattern, 3), one(*pattern, 1);
  EXPECT_TRUE(all.Trim().empty());
  EXPECT_TRUE(three.Trim().empty());
  const auto removed = one.Trim();
  EXPECT_EQ(removed,
            (std::vector<std::string>{folder_ / "day-1.fxt.gz", folder_ / "day-2.fxt.gz"}));
  EXPECT_TRUE(Exists("day-3.fxt.gz"));
  EXPECT_TRUE(Exists("day-x.fxt.gz"));
}

// The wall clock was set back by an hour while a recorder was at its second file: later files stay,
// and the first ones are removed.
TEST_F(KeptFilesTest, OrderDoesNotDependOnTheWallClock) {
  const auto pattern = NamePattern::Parse(folder_ / "day-%t.fxt");
  ASSERT_TRUE(pattern.ok());
  KeptFiles files(*pattern, 2);
  Put("day-20261101-110000.fxt", 36'000);  // of an earlier run
  const std::vector<std::string> names = {"day-20261101-120000.fxt", "day-20261101-120100.fxt",
                                          "day-20261101-110200.fxt", "day-20261101-110300.fxt"};
  const std::vector<time_t> changed = {39'600, 39'660, 36'120, 36'180};
  std::vector<std::string> removed;
  for (size_t i = 0; i < names.size(); ++i) {
    files.Add(folder_ / names[i]);
    Put(names[i], changed[i]);
    for (const std::string& path : files.Trim()) removed.push_back(path);
  }
  EXPECT_EQ(removed, (std::vector<std::string>{folder_ / "day-20261101-110000.fxt",
                                               folder_ / names[0], folder_ / names[1]}));
}

TEST_F(KeptFilesTest, KeepsOtherFilesAndFilesBeingWritten) {
  Put("day-1.fxt.gz", 100, "a text of another program");
  Put("day-2.fxt.gz", 200);
  Put("day-3.fxt.gz", 300);
  Put("target", 1);
  std::filesystem::create_symlink("target", folder_.path() / "day-4.fxt.gz");
  std::filesystem::create_directory(folder_.path() / "day-5.fxt.gz");
  const util::UniqueFd writer(open((folder_ / "day-2.fxt.gz").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
  const auto pattern = NamePattern::Parse(folder_ / "day-%n.fxt.gz");
  ASSERT_TRUE(pattern.ok());
  KeptFiles one(*pattern, 1);
  EXPECT_EQ(one.Trim(), (std::vector<std::string>{folder_ / "day-3.fxt.gz"}));
  for (const char* name : {"day-1.fxt.gz", "day-2.fxt.gz", "day-4.fxt.gz", "day-5.fxt.gz"}) {
    EXPECT_TRUE(Exists(name)) << name;
  }
}

}  // namespace
}  // namespace output
