// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbol_table.h"

#include <gtest/gtest.h>

namespace symbols {
namespace {

std::string SymbolAt(const SymbolTable& table, uint64_t address) {
  const Symbol* symbol = table.Find(address);
  return symbol != nullptr ? symbol->name : "";
}

TEST(SymbolTableTest, FindsTheFunctionAroundAnAddress) {
  SymbolTable table;
  table.Add(0x2000, 0x10, "second", SymbolRank::kGlobal);
  table.Add(0x1000, 0x20, "first", SymbolRank::kLocal);
  table.Add(0x3000, 0, "open_ended", SymbolRank::kLocal);
  table.Finish();
  EXPECT_EQ(SymbolAt(table, 0xfff), "");
  EXPECT_EQ(SymbolAt(table, 0x1000), "first");
  EXPECT_EQ(SymbolAt(table, 0x101f), "first");
  EXPECT_EQ(SymbolAt(table, 0x1020), "");
  EXPECT_EQ(SymbolAt(table, 0x200f), "second");
  EXPECT_EQ(SymbolAt(table, 0x7fffffffffff), "open_ended");
  EXPECT_EQ(table.FindByName("second")->address, 0x2000u);
  EXPECT_EQ(table.FindByName("third"), nullptr);
}

TEST(SymbolTableTest, PrefersSizedThenGlobalNames) {
  SymbolTable table;
  table.Add(0x1000, 0x20, "local", SymbolRank::kLocal);
  table.Add(0x1000, 0x20, "global", SymbolRank::kGlobal);
  table.Add(0x1000, 0x20, "weak", SymbolRank::kWeak);
  table.Add(0x2000, 0, "label", SymbolRank::kGlobal);
  table.Add(0x2000, 8, "function", SymbolRank::kLocal);
  table.Add(0x3000, 8, "", SymbolRank::kGlobal);
  table.Finish();
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(SymbolAt(table, 0x1000), "global");
  EXPECT_EQ(SymbolAt(table, 0x2000), "function");
}

TEST(SymbolTableTest, FindsNothingInAnEmptyTable) {
  SymbolTable table;
  table.Finish();
  EXPECT_EQ(table.Find(0), nullptr);
  EXPECT_TRUE(table.empty());
}

}  // namespace
}  // namespace symbols
