// SPDX-License-Identifier: BSD-2-Clause
// Output paths that are refused, and outputs that are no files.
#include "output/open_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "output/output_place.h"
#include "unit/sink/sink_test_support.h"

namespace output {
namespace {

using sink::testing::TemporaryFolder;

constexpr uid_t kStranger = 12345;

class OpenOutputTest : public ::testing::Test {
 protected:
  OpenOutputTest() {
    // A shared directory like /tmp, and a private one.
    std::filesystem::create_directory(Path("shared"));
    chmod(Path("shared").c_str(), 01777);
    std::filesystem::create_directory(Path("own"));
    std::ofstream(Path("own/victim")) << "precious";
  }
  std::string Path(const std::string& name) const { return folder_ / name; }
  void Link(const std::string& target, const std::string& name, uid_t owner) const {
    ASSERT_EQ(symlink(target.c_str(), Path(name).c_str()), 0);
    ASSERT_EQ(lchown(Path(name).c_str(), owner, owner), 0);
  }
  bool Opens(const std::string& path) const { return OpenOutputAt(path, {}).ok(); }

  const TemporaryFolder folder_;
};

#define NEEDS_ROOT() \
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root makes other users' files"

TEST_F(OpenOutputTest, FollowsOwnLinks) {
  Link(Path("own/new"), "shared/absolute", geteuid());
  Link("../own/new", "shared/relative", geteuid());
  Link("..//own/./", "shared/folder", geteuid());
  for (const char* path : {"shared/absolute", "shared/relative", "shared/folder/new"}) {
    auto opened = OpenOutputAt(Path(path), {});
    ASSERT_TRUE(opened.ok()) << path << opened.error().message;
    ASSERT_TRUE(opened->file->Publish().ok());
    EXPECT_EQ(unlink(Path("own/new").c_str()), 0) << path;
  }
}

TEST_F(OpenOutputTest, RefusesPlantedLinks) {
  NEEDS_ROOT();
  Link(Path("own/victim"), "shared/trace", kStranger);
  Link(Path("own"), "shared/folder", kStranger);
  Link(Path("shared/folder"), "shared/ours", 0);
  Link(Path("own/victim"), "own/link", kStranger);
  for (const char* path :
       {"shared/trace", "shared/folder/victim", "shared/ours/victim", "own/link"}) {
    const auto opened = OpenOutputAt(Path(path), {});
    ASSERT_FALSE(opened.ok()) << path;
    EXPECT_NE(opened.error().message.find("belongs to user 12345"), std::string::npos)
        << opened.error().message;
  }
  // In a directory that only we can write, links may have any owner.
  Link(Path("own"), "folder", kStranger);
  EXPECT_TRUE(Opens(Path("folder/new")));
}

TEST_F(OpenOutputTest, RefusesPlacesThatCannotHoldAFile) {
  Link("loop", "loop", geteuid());
  for (const char* path : {"loop", "own", "own/", "own/..", ".", "none/file", "own/victim/file",
                           "own/victim/", "none/"}) {
    EXPECT_FALSE(Opens(Path(path))) << path;
  }
  EXPECT_FALSE(Opens(""));
  EXPECT_FALSE(Opens("/"));
  EXPECT_EQ(std::filesystem::file_size(Path("own/victim")), 8u);
}

TEST_F(OpenOutputTest, ResolvesRelativePaths) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(Path("own"));
  EXPECT_TRUE(Opens("new"));
  EXPECT_TRUE(Opens("./new"));
  EXPECT_TRUE(Opens("../shared/new"));
  std::filesystem::current_path(before);
}

TEST_F(OpenOutputTest, KeepsDevicesAndPipes) {
  for (const char* path : {"/dev/null", "/dev/full"}) {
    auto opened = OpenOutputAt(path, {});
    ASSERT_TRUE(opened.ok()) << path << opened.error().message;
    EXPECT_EQ(opened->file, nullptr);
  }
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  std::array<char, 8> text{};
  std::thread reader([&] {
    const util::UniqueFd fd(open(Path("fifo").c_str(), O_RDONLY));
    EXPECT_EQ(read(fd.get(), text.data(), text.size()), 2);
  });
  auto fifo = OpenOutputAt(Path("fifo"), {});
  ASSERT_TRUE(fifo.ok());
  EXPECT_EQ(write(fifo->fd.get(), "hi", 2), 2);
  reader.join();
}

TEST_F(OpenOutputTest, RefusesAPlantedFifoWithoutWaiting) {
  NEEDS_ROOT();
  ASSERT_EQ(mkfifo(Path("shared/fifo").c_str(), 0666), 0);
  ASSERT_EQ(chown(Path("shared/fifo").c_str(), kStranger, kStranger), 0);
  EXPECT_FALSE(Opens(Path("shared/fifo")));
}

// The descriptor itself: opened again it would start at the beginning of the file.
TEST_F(OpenOutputTest, ResolvesOwnDescriptors) {
  const util::UniqueFd log(open(Path("own/victim").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  for (const char* folder : {"/proc/self/fd/", "/dev/fd/"}) {
    auto opened = OpenOutputAt(folder + std::to_string(log.get()), {});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_EQ(opened->file, nullptr);
    EXPECT_EQ(write(opened->fd.get(), "!", 1), 1);
  }
  EXPECT_EQ(std::filesystem::file_size(Path("own/victim")), 10u);
}

TEST_F(OpenOutputTest, DetectsOneFileUnderTwoPaths) {
  const auto same = [&](const std::string& a, const std::string& b) {
    const auto first = FindPlace(a, "-o");
    const auto second = FindPlace(b, "-o");
    EXPECT_TRUE(first.ok() && second.ok());
    return IsSamePlace(*first, *second);
  };
  Link("own/victim", "link", geteuid());
  Link("own/new", "dangling", geteuid());
  ASSERT_EQ(link(Path("own/victim").c_str(), Path("hard").c_str()), 0);
  EXPECT_TRUE(same(Path("own/victim"), Path("own/../own/./victim")));
  EXPECT_TRUE(same(Path("own/victim"), Path("link")));
  EXPECT_TRUE(same(Path("own/victim"), Path("hard")));
  EXPECT_TRUE(same(Path("own/new"), Path("dangling")));
  EXPECT_FALSE(same(Path("own/new"), Path("own/other")));
  EXPECT_FALSE(same(Path("own/new"), Path("shared/new")));
  EXPECT_FALSE(same("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace output
