// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/string_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace importer {
namespace {

// From its second occurrence on.
uint32_t Known(StringTable& table, const std::string& text) {
  table.NumberOf(text);
  return table.NumberOf(text);
}

TEST(StringTableTest, KeepsNoStringsThatOccurOnce) {
  StringTable table;
  EXPECT_EQ(table.NumberOf("once"), StringTable::kNone);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.NumberOf("once"), 0u);
  EXPECT_EQ(table.NumberOf("once"), 0u);
  EXPECT_EQ(table.TextOf(0), "once");
}

TEST(StringTableTest, SeparatesStringsWithEqualEnds) {
  StringTable table;
  for (const size_t size : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 18, 40, 4096}) {
    const std::string text(size, 'x');
    const uint32_t number = Known(table, text);
    EXPECT_EQ(table.TextOf(number), text);
    for (size_t at = 0; at < size; at += size / 20 + 1) {
      std::string other = text;
      other[at] = 'y';
      EXPECT_NE(Known(table, other), number) << size << " " << at;
      EXPECT_EQ(table.NumberOf(text), number);
      EXPECT_EQ(table.TextOf(table.NumberOf(other)), other);
    }
  }
}

TEST(StringTableTest, NeverChangesANumber) {
  StringTable table;
  std::mt19937 random(1);
  std::map<std::string, uint32_t> numbers;
  for (int i = 0; i < 50'000; ++i) {
    const std::string text =
        "name " + std::string(random() % 20, '-') + std::to_string(random() % 300);
    const uint32_t number = table.NumberOf(text);
    if (number == StringTable::kNone) continue;
    EXPECT_EQ(numbers.emplace(text, number).first->second, number);
    EXPECT_EQ(table.TextOf(number), text);
  }
  EXPECT_EQ(numbers.size(), table.size());
}

TEST(StringTableTest, IsBounded) {
  StringTable table;
  EXPECT_EQ(Known(table, std::string(StringTable::kMaxStringBytes + 1, 'x')), StringTable::kNone);
  for (size_t i = 0; i < StringTable::kMaxStrings + 100; ++i) Known(table, std::to_string(i));
  EXPECT_EQ(table.size(), StringTable::kMaxStrings);
  EXPECT_EQ(Known(table, "one more"), StringTable::kNone);
  EXPECT_EQ(table.TextOf(Known(table, "77")), "77");
  StringTable large;
  for (size_t i = 0; i < 2000; ++i) {
    Known(large, std::to_string(i) + std::string(StringTable::kMaxStringBytes - 10, 'x'));
  }
  EXPECT_LE(large.size(), StringTable::kMaxBytes / (StringTable::kMaxStringBytes - 10));
}

}  // namespace
}  // namespace importer
