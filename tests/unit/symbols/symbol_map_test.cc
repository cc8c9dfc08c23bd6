// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbol_table.h"

#include <gtest/gtest.h>

namespace symbols {
namespace {

std::string NameAt(const SymbolMap& symbols, uint64_t address) {
  const Symbol* symbol = symbols.Find(address);
  return symbol == nullptr ? "" : symbol->name;
}

TEST(SymbolMapTest, FindsFunctionsAsTheyAreAdded) {
  SymbolMap symbols;
  EXPECT_EQ(NameAt(symbols, 0x100), "");
  symbols.Add(0x100, 0x10, "first");
  EXPECT_EQ(NameAt(symbols, 0xff), "");
  EXPECT_EQ(NameAt(symbols, 0x10f), "first");
  EXPECT_EQ(NameAt(symbols, 0x110), "");
  symbols.Add(0x80, 0, "without an end");
  EXPECT_EQ(NameAt(symbols, 0xff), "without an end");
  EXPECT_EQ(NameAt(symbols, 0x100), "first");
  symbols.Add(0x100, 0x20, "compiled again");
  EXPECT_EQ(NameAt(symbols, 0x11f), "compiled again");
  EXPECT_EQ(symbols.size(), 2U);
}

// Beyond the last address there is none, and nothing runs over.
TEST(SymbolMapTest, EndsOfTheAddressSpace) {
  SymbolMap symbols;
  symbols.Add(UINT64_MAX - 1, 2, "last");
  EXPECT_EQ(NameAt(symbols, UINT64_MAX), "last");
  EXPECT_EQ(NameAt(symbols, UINT64_MAX - 2), "");
}

}  // namespace
}  // namespace symbols
