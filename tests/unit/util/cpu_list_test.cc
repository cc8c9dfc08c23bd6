// SPDX-License-Identifier: BSD-2-Clause
#include "util/cpu_list.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace util {
namespace {

using Cpus = std::vector<uint32_t>;

TEST(CpuListTest, ParsesSysfsLists) {
  EXPECT_EQ(ParseCpuList("0"), Cpus({0}));
  EXPECT_EQ(ParseCpuList("0-3"), Cpus({0, 1, 2, 3}));
  EXPECT_EQ(ParseCpuList("0-1,4,6-7"), Cpus({0, 1, 4, 6, 7}));
  EXPECT_EQ(ParseCpuList("0-1\n"), Cpus({0, 1}));
  EXPECT_EQ(ParseCpuList("5-5"), Cpus({5}));
}

TEST(CpuListTest, AcceptsLargeNumbers) {
  EXPECT_EQ(ParseCpuList("65535"), Cpus({65535}));
  EXPECT_EQ(ParseCpuList("0-8191")->size(), 8192u);
  EXPECT_EQ(ParseCpuList("65536"), std::nullopt);
  EXPECT_EQ(ParseCpuList("0-4294967295"), std::nullopt);
  EXPECT_EQ(ParseCpuList("99999999999999999999"), std::nullopt);
}

TEST(CpuListTest, RefusesOtherText) {
  for (const char* text : {"", "\n", " ", ",", "-", "a", "0,", ",0", "0,,1", "0-", "-1", "3-1",
                           "0 1", "0-1-2", "0x1", "+1", "1.5", "0-3:1/2"}) {
    EXPECT_EQ(ParseCpuList(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(CpuListTest, UsesMemoryForCpusOnly) {
  std::string text = "0-65535";
  for (int i = 0; i < 1000; ++i) text += ",0-65535";
  auto cpus = ParseCpuList(text);
  ASSERT_TRUE(cpus);
  EXPECT_EQ(cpus->size(), 65536u);
}

TEST(CpuListTest, SortsAndRemovesDuplicates) {
  EXPECT_EQ(ParseCpuList("3,1-2,2,0"), Cpus({0, 1, 2, 3}));
}

class ReadCpuListTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Folder()); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string Folder() const { return root_ + "/devices/system/cpu"; }

  std::string root_ = ::testing::TempDir() + "cpu_list." + std::to_string(getpid());
};

TEST_F(ReadCpuListTest, ReadsTheNamedFile) {
  std::ofstream(Folder() + "/online") << "0,2\n";
  std::ofstream(Folder() + "/possible") << "0-7\n";
  EXPECT_EQ(ReadCpuList("online", root_), Cpus({0, 2}));
  EXPECT_EQ(ReadCpuList("possible", root_).size(), 8u);
}

TEST_F(ReadCpuListTest, FallsBackToOneCpu) {
  EXPECT_EQ(ReadCpuList("online", root_), Cpus({0}));
  std::ofstream(Folder() + "/present") << "what?\n";
  EXPECT_EQ(ReadCpuList("present", root_), Cpus({0}));
}

TEST_F(ReadCpuListTest, AgreesWithTheMachine) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  ASSERT_GT(online, 0);
  EXPECT_EQ(ReadCpuList("online").size(), static_cast<size_t>(online));
}

}  // namespace
}  // namespace util
