// SPDX-License-Identifier: BSD-2-Clause
#include "settings/hash_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_folder.h"

namespace settings {
namespace {

using testing_support::TempFolder;

TEST(HashKeyTest, StaysTheSameInItsFile) {
  const TempFolder folder;
  const std::string path = folder / "key";
  const HashKey made = HashKey::Load(path);
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) GTEST_SKIP() << "the file system has no files without a name";
  EXPECT_EQ(file.st_mode & 0777, 0600U);
  EXPECT_EQ(file.st_size, 16);
  const HashKey read = HashKey::Load(path);
  EXPECT_EQ(read.Identity(), made.Identity());
  EXPECT_EQ(read.HashOf("NAME", "value"), made.HashOf("NAME", "value"));
  EXPECT_NE(read.HashOf("NAME", "value"), read.HashOf("OTHER", "value"));
  EXPECT_NE(read.HashOf("NAME", "value"), read.HashOf("NAME", "valuf"));
}

TEST(HashKeyTest, AKeyThatOthersCanReadIsNotUsed) {
  const TempFolder folder;
  const std::string path = folder / "key";
  std::ofstream(path) << "0123456789abcdef";
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  const HashKey first = HashKey::Load(path);
  EXPECT_NE(first.Identity(), HashKey::Load(path).Identity());
}

TEST(HashKeyTest, AFolderThatOthersCanWriteIsNotUsed) {
  const TempFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  const std::string path = folder / "key";
  EXPECT_NE(HashKey::Load(path).Identity(), HashKey::Load(path).Identity());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(HashKeyTest, WithoutAFileTheKeyIsRandom) {
  EXPECT_NE(HashKey::Load("/proc/no-such-folder/key").Identity(),
            HashKey::Load("/proc/no-such-folder/key").Identity());
}

}  // namespace
}  // namespace settings
