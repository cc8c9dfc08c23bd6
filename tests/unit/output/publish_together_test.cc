// SPDX-License-Identifier: BSD-2-Clause
#include "output/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "output/open_output.h"
#include "unit/sink/sink_test_support.h"

namespace output {
namespace {

using sink::testing::TemporaryFolder;

class PublishTogetherTest : public ::testing::Test {
 protected:
  using Files = std::vector<std::shared_ptr<OutputFile>>;

  static void Put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string Get(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Includes hidden entries.
  static size_t EntriesIn(const std::string& folder) {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                             std::filesystem::directory_iterator()));
  }
  // Written, without names.
  static Files Written(const std::vector<std::string>& paths, const std::string& text) {
    FileOptions options;
    options.with_others = true;
    Files files;
    for (const std::string& path : paths) {
      auto opened = OpenOutputAt(path, options);
      EXPECT_TRUE(opened) << path;
      EXPECT_EQ(write(opened->fd.get(), text.data(), text.size()),
                static_cast<ssize_t>(text.size()));
      files.push_back(std::move(opened->file));
    }
    return files;
  }

  const TemporaryFolder folder_;
  const std::string first_ = folder_ / "first";
  const std::string second_ = folder_ / "second";
  const std::string third_ = folder_ / "third";
};

TEST_F(PublishTogetherTest, PublishesAllFiles) {
  Put(second_, "old");
  Files files = Written({first_, second_, third_}, "new");
  EXPECT_EQ(EntriesIn(folder_.path()), 1U);
  ASSERT_TRUE(PublishTogether(files));
  files.clear();
  for (const auto& path : {first_, second_, third_}) EXPECT_EQ(Get(path), "new");
  EXPECT_EQ(EntriesIn(folder_.path()), 3U);
}

TEST_F(PublishTogetherTest, LeavesNothingUnpublished) {
  Put(second_, "old");
  Written({first_, second_}, "new").clear();
  EXPECT_EQ(Get(second_), "old");
  EXPECT_EQ(EntriesIn(folder_.path()), 1U);
}

TEST_F(PublishTogetherTest, RestoresAllAfterAFailure) {
  Put(first_, "old");
  Files files = Written({first_, second_, third_}, "new");
  // Another process has created a folder of that name.
  ASSERT_EQ(mkdir(third_.c_str(), 0700), 0);
  const auto published = PublishTogether(files);
  ASSERT_FALSE(published);
  EXPECT_NE(published.error().message.find(third_), std::string::npos) << published.error().message;
  EXPECT_EQ(Get(first_), "old");
  files.clear();
  EXPECT_EQ(Get(first_), "old");
  EXPECT_FALSE(std::filesystem::exists(second_));
  EXPECT_TRUE(std::filesystem::is_directory(third_));
  EXPECT_EQ(EntriesIn(folder_.path()), 2U);
}

TEST_F(PublishTogetherTest, ReplacesAFileCreatedMeanwhile) {
  const Files files = Written({first_, second_}, "new");
  Put(second_, "of another user");
  ASSERT_TRUE(PublishTogether(files));
  EXPECT_EQ(Get(second_), "new");
  EXPECT_EQ(EntriesIn(folder_.path()), 2U);
}

TEST_F(PublishTogetherTest, AcceptsThatAFileVanished) {
  Put(first_, "old");
  const Files files = Written({first_}, "new");
  std::filesystem::remove(first_);
  ASSERT_TRUE(PublishTogether(files));
  EXPECT_EQ(Get(first_), "new");
  EXPECT_EQ(EntriesIn(folder_.path()), 1U);
}

}  // namespace
}  // namespace output
