// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_block.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "unit/query/cells.h"

namespace columns {
namespace {

using query::testing::Number;
using query::testing::Text;
using tables::Cell;

struct Block {
  BlockEntry entry;
  ColumnValues values;
};

Block Written(const std::vector<Cell>& cells, bool has_stable_texts = false) {
  BlockBuilder builder(has_stable_texts);
  builder.Add(cells.data(), 1, cells.size());
  Block block;
  block.entry = builder.Finish(block.values.bytes, 100);
  EXPECT_EQ(block.entry.offset, 100U);
  EXPECT_EQ(block.entry.bytes, block.values.bytes.size());
  EXPECT_EQ(builder.rows(), 0U);
  return block;
}

void ExpectSame(const std::vector<Cell>& cells, bool has_stable_texts = false) {
  Block block = Written(cells, has_stable_texts);
  ASSERT_TRUE(Decode(block.entry, cells.size(), block.values));
  for (size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(block.values.KindOf(i), cells[i].kind) << i;
    if (cells[i].kind == Cell::Kind::kText) {
      EXPECT_EQ(block.values.texts[static_cast<size_t>(block.values.values[i])], cells[i].view());
    } else if (!cells[i].is_null()) {
      EXPECT_EQ(block.values.values[i], cells[i].integer);
    }
  }
}

Cell Real(double value) {
  Cell cell;
  cell.Set(value);
  return cell;
}

TEST(ColumnBlockTest, NumbersOfEachWidth) {
  for (const int64_t range :
       {int64_t{0}, int64_t{200}, int64_t{60000}, int64_t{4'000'000'000}, INT64_MAX}) {
    ExpectSame({Number(range), Number(0), Number(range / 2)});
    ExpectSame({Number(INT64_MIN), Number(INT64_MIN + range)});
  }
  ExpectSame({Number(INT64_MIN), Number(INT64_MAX), Number(0), Number(-1)});
}

TEST(ColumnBlockTest, NullsTextsRealNumbersAndMixtures) {
  const Cell null;
  ExpectSame({null, null});
  ExpectSame({null, Number(-5), null, Number(7)});
  ExpectSame({Real(0.5), null, Real(-1e300)});
  ExpectSame({Text("one"), Text(""), null, Text("one"), Text(std::string_view("nul\0in", 6))});
  ExpectSame({Text("one"), Number(3), Real(2.5), null, Text("two")});
}

TEST(ColumnBlockTest, StableTextsAreFoundByPlace) {
  std::vector<std::string> names(1000);
  for (size_t i = 0; i < names.size(); ++i) names[i] = "name" + std::to_string(i);
  std::vector<Cell> cells;
  for (size_t i = 0; i < 5000; ++i) cells.push_back(Text(names[i * 7919 % names.size()]));
  ExpectSame(cells, true);
  ExpectSame(cells, false);
  EXPECT_EQ(Written(cells, true).entry.high, 999);
}

TEST(ColumnBlockTest, DamagedBytesAreRefusedOrHarmless) {
  std::mt19937 chance(3);
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back("text" + std::to_string(i % 20));
  std::vector<Cell> cells;
  for (size_t i = 0; i < texts.size(); ++i) cells.push_back(i % 3 == 0 ? Cell() : Text(texts[i]));
  const Block good = Written(cells);
  for (int round = 0; round < 20000; ++round) {
    Block block = good;
    auto* entry = reinterpret_cast<unsigned char*>(&block.entry);
    const auto random = [&](size_t below) { return static_cast<size_t>(chance()) % below; };
    if (round % 2 == 0) entry[random(sizeof(BlockEntry))] = static_cast<unsigned char>(chance());
    if (round % 3 == 0) block.values.bytes.resize(random(block.values.bytes.size() + 1));
    for (size_t i = random(4); i > 0 && !block.values.bytes.empty(); --i) {
      block.values.bytes[random(block.values.bytes.size())] = static_cast<std::byte>(chance());
    }
    if (!Decode(block.entry, cells.size(), block.values)) continue;
    size_t bytes = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (block.values.KindOf(i) != Cell::Kind::kText) continue;
      const auto text = block.values.texts.at(static_cast<size_t>(block.values.values[i]));
      for (const char c : text) bytes += c != 0 ? 1 : 0;  // reads all of it
    }
    EXPECT_LE(bytes, cells.size() * block.values.bytes.size());
  }
}

}  // namespace
}  // namespace columns
