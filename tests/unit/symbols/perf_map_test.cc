// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/perf_map.h"

#include <fmt/core.h>
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

std::string NameAt(const SymbolTable& table, uint64_t address) {
  const Symbol* symbol = table.Find(address);
  return symbol == nullptr ? "" : symbol->name;
}

TEST(PerfMapTest, NamesFunctionsByTheirRanges) {
  const SymbolTable table =
      *ParsePerfMap("1000 20 first function\n0x2000 0x10 LazyCompile:~b file.js:1\n");
  EXPECT_EQ(NameAt(table, 0xfff), "");
  EXPECT_EQ(NameAt(table, 0x1000), "first function");
  EXPECT_EQ(NameAt(table, 0x101f), "first function");
  EXPECT_EQ(NameAt(table, 0x1020), "");
  EXPECT_EQ(NameAt(table, 0x200f), "LazyCompile:~b file.js:1");
}

TEST(PerfMapTest, LaterFunctionsReplaceOverlappingOnes) {
  const SymbolTable table =
      *ParsePerfMap("1000 100 old\n1080 20 new\n1100 10 other\n10f0 40 last\n");
  EXPECT_EQ(NameAt(table, 0x1010), "old");
  EXPECT_EQ(NameAt(table, 0x1080), "new");
  EXPECT_EQ(NameAt(table, 0x10a0), "");
  EXPECT_EQ(NameAt(table, 0x1105), "last");
}

TEST(PerfMapTest, PassesOverOtherLines) {
  const SymbolTable table = *ParsePerfMap(
      "\n1000\n1000 10\n1000 10 \nzz 10 a\n1000 0 b\nffffffffffffff00 1000 c\n\n10 1 good");
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(NameAt(table, 0x10), "good");
}

TEST(PerfMapTest, HasALimitOfFunctions) {
  std::string text;
  for (size_t i = 0; i <= kMaxPerfMapFunctions; ++i)
    text += fmt::format("{:x} 8 f\n", 16 * (i + 1));
  EXPECT_FALSE(ParsePerfMap(text));
  // Replaced functions do not count.
  text.clear();
  for (size_t i = 0; i <= kMaxPerfMapFunctions; ++i) text += "1000 8 f\n";
  const auto table = ParsePerfMap(text);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 1u);
}

// A machine's files below a directory of its own.
class ReadPerfMapTest : public ::testing::Test {
 protected:
  ReadPerfMapTest() { fs::create_directories(dir_ + "/tmp"); }
  std::string Map(uint32_t pid) const { return fmt::format("{}/tmp/perf-{}.map", dir_, pid); }
  void Write(uint32_t pid) const { std::ofstream(Map(pid)) << "1000 20 compiled\n"; }
  bool Reads(const PerfMapSource& source) const {
    const auto table = ReadPerfMap(source);
    return table.ok() && NameAt(*table, 0x1000) == "compiled";
  }

  const testing_support::TempFolder folder_;
  const std::string dir_ = folder_.path();
};

TEST_F(ReadPerfMapTest, ReadsRegularFilesWithoutLinks) {
  Write(7);
  EXPECT_TRUE(Reads({.pid = 7, .user = geteuid(), .root = dir_}));
  EXPECT_FALSE(Reads({.pid = 8, .user = geteuid(), .root = dir_}));
  fs::create_symlink(Map(7), Map(9));
  EXPECT_FALSE(Reads({.pid = 9, .user = geteuid(), .root = dir_}));
  ASSERT_EQ(mkfifo(Map(10).c_str(), 0600), 0);
  EXPECT_FALSE(Reads({.pid = 10, .user = geteuid(), .root = dir_}));
}

TEST_F(ReadPerfMapTest, RefusesFilesOfOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make files of another user";
  Write(7);
  ASSERT_EQ(chown(Map(7).c_str(), 65534, 65534), 0);
  EXPECT_TRUE(Reads({.pid = 7, .user = 65534, .root = dir_}));
  EXPECT_FALSE(Reads({.pid = 7, .user = 0, .root = dir_}));
  EXPECT_FALSE(Reads({.pid = 7, .user = 1000, .root = dir_}));
  EXPECT_FALSE(Reads({.pid = 7, .root = dir_}));
}

TEST_F(ReadPerfMapTest, EntersTheMountNamespaceOfALiveProcess) {
  // A process 700 of this machine is process 3 of a container, whose root is `dir_`.
  const std::string proc = dir_ + "/proc";
  fs::create_directories(proc + "/700");
  fs::create_symlink(dir_, proc + "/700/root");
  std::ofstream(proc + "/700/status")
      << fmt::format("Name:\tnode\nUid:\t{0}\t{0}\t{0}\t{0}\nNSpid:\t700\t3\n", geteuid());
  Write(3);
  EXPECT_TRUE(Reads({.pid = 700, .user = geteuid(), .proc = proc}));
  EXPECT_TRUE(Reads({.pid = 700, .proc = proc}));
  EXPECT_FALSE(Reads({.pid = 700, .user = geteuid() + 1, .proc = proc})) << "another process";
}

}  // namespace
}  // namespace symbols
