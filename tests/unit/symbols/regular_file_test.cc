// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/regular_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_folder.h"

namespace symbols {
namespace {

namespace fs = std::filesystem;

class RegularFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }
  void Write(const std::string& name, const std::string& text) const { folder_.Write(name, text); }
  // The readable content of the file; "refused" if it cannot be opened.
  std::string Read(const std::string& path, const FileRules& rules = {}) const {
    const auto fd = OpenRegularFile(path, rules);
    if (!fd) return "refused";
    std::string text(100, '\0');
    const ssize_t size = read(fd->get(), text.data(), text.size());
    text.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return text;
  }

  const testing_support::TempFolder folder_;
};

TEST_F(RegularFileTest, OpensRegularFilesOnly) {
  Write("file", "text");
  EXPECT_EQ(Read(Path("file")), "text");
  EXPECT_EQ(Read(Path("./x/../file")), "refused") << "x does not exist";
  fs::create_directory(Path("x"));
  EXPECT_EQ(Read(Path("./x/../file")), "text");
  EXPECT_EQ(Read(Path("x")), "refused");
  EXPECT_EQ(Read(Path("missing")), "refused");
  EXPECT_EQ(Read("/dev/zero"), "refused");
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(Read(Path("fifo")), "refused");
}

TEST_F(RegularFileTest, FollowsOwnLinksByDefault) {
  Write("file", "text");
  fs::create_symlink("file", Path("relative"));
  fs::create_symlink(Path("file"), Path("absolute"));
  fs::create_symlink("loop", Path("loop"));
  EXPECT_EQ(Read(Path("relative")), "text");
  EXPECT_EQ(Read(Path("absolute")), "text");
  EXPECT_EQ(Read(Path("loop")), "refused");
  EXPECT_EQ(Read(Path("relative"), {.follow_links = false}), "refused");
  EXPECT_EQ(Read(Path("file"), {.follow_links = false}), "text");
}

TEST_F(RegularFileTest, RefusesLinksOfOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make files of another user";
  Write("file", "text");
  fs::create_symlink("file", Path("link"));
  ASSERT_EQ(lchown(Path("link").c_str(), 65534, 65534), 0);
  EXPECT_EQ(Read(Path("link")), "refused");
}

TEST_F(RegularFileTest, ChecksTheOwner) {
  Write("file", "text");
  EXPECT_EQ(Read(Path("file"), {.owners = {geteuid()}}), "text");
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make files of another user";
  ASSERT_EQ(chown(Path("file").c_str(), 65534, 65534), 0);
  EXPECT_EQ(Read(Path("file"), {.owners = {1000}}), "refused");
  EXPECT_EQ(Read(Path("file"), {.owners = {1000, 65534}}), "text");
  EXPECT_EQ(Read(Path("file")), "text");
}

TEST_F(RegularFileTest, StaysWithinItsRoot) {
  fs::create_directories(Path("root/tmp"));
  Write("secret", "secret");
  Write("root/tmp/file", "inside");
  fs::create_symlink("/tmp/file", Path("root/absolute"));
  fs::create_symlink("../../secret", Path("root/escape"));
  const FileRules rules{.root = Path("root")};
  EXPECT_EQ(Read("/tmp/file", rules), "inside");
  EXPECT_EQ(Read("/absolute", rules), "inside");
  EXPECT_EQ(Read("/escape", rules), "refused");
  EXPECT_EQ(Read("/../secret", rules), "refused");
}

TEST_F(RegularFileTest, LimitsTheSize) {
  Write("file", "text");
  EXPECT_EQ(Read(Path("file"), {.max_bytes = 4}), "text");
  EXPECT_EQ(Read(Path("file"), {.max_bytes = 3}), "refused");
}

}  // namespace
}  // namespace symbols
