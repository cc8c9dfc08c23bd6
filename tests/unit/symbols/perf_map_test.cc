// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/perf_map.h"

#include <gtest/gtest.h>

namespace symbols {
namespace {

std::string NameAt(const SymbolTable& table, uint64_t address) {
  const Symbol* symbol = table.Find(address);
  return symbol == nullptr ? "" : symbol->name;
}

TEST(PerfMapTest, NamesFunctionsByTheirRanges) {
  const SymbolTable table =
      ParsePerfMap("1000 20 first function\n0x2000 0x10 LazyCompile:~b file.js:1\n");
  EXPECT_EQ(NameAt(table, 0xfff), "");
  EXPECT_EQ(NameAt(table, 0x1000), "first function");
  EXPECT_EQ(NameAt(table, 0x101f), "first function");
  EXPECT_EQ(NameAt(table, 0x1020), "");
  EXPECT_EQ(NameAt(table, 0x200f), "LazyCompile:~b file.js:1");
}

TEST(PerfMapTest, WhatWasCompiledLastTookTheOthersPlace) {
  const SymbolTable table =
      ParsePerfMap("1000 100 old\n1080 20 new\n1100 10 other\n10f0 40 last\n");
  EXPECT_EQ(NameAt(table, 0x1010), "old");
  EXPECT_EQ(NameAt(table, 0x1080), "new");
  EXPECT_EQ(NameAt(table, 0x10a0), "");
  EXPECT_EQ(NameAt(table, 0x1105), "last");
}

TEST(PerfMapTest, PassesOverOtherLines) {
  const SymbolTable table = ParsePerfMap(
      "\n1000\n1000 10\n1000 10 \nzz 10 a\n1000 0 b\nffffffffffffff00 1000 c\n\n10 1 good");
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(NameAt(table, 0x10), "good");
}

TEST(PerfMapTest, ReadsAFileAndNothingElse) {
  const auto missing = ReadPerfMap("/nonexistent/perf-1.map");
  EXPECT_FALSE(missing.ok());
  EXPECT_FALSE(ReadPerfMap("/tmp").ok());
  EXPECT_FALSE(ReadPerfMap("/dev/zero").ok());
}

}  // namespace
}  // namespace symbols
