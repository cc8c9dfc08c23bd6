// SPDX-License-Identifier: BSD-2-Clause
#include "export/row_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace exporting {
namespace {

using tables::Cell;

// A row of losses: ts, kind, cpu?, category?, count?, provider?.
std::vector<Cell> Row(std::string_view category) {
  std::vector<Cell> row(6);
  row[0].Set(int64_t{-2});
  row[1].Set(std::string_view("lost"));
  row[3].Set(category);
  row[4].Set(uint64_t{7});
  return row;
}

std::string Written(RowFormat format, const std::vector<Cell>& row) {
  fmt::memory_buffer out;
  AppendRow(out, format, InfoOf(tables::Table::kLosses), 5, row.data());
  return fmt::to_string(out);
}

TEST(RowFormatTest, WritesCsv) {
  EXPECT_EQ(Written(RowFormat::kCsv, Row("a")), "5,-2,lost,,a,7,\n");
  EXPECT_EQ(Written(RowFormat::kCsv, Row("")), "5,-2,lost,,\"\",7,\n");
  EXPECT_EQ(Written(RowFormat::kCsv, Row("a,\"b\n")), "5,-2,lost,,\"a,\"\"b\n\",7,\n");
}

TEST(RowFormatTest, SafeCsvDisarmsFormulas) {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    EXPECT_EQ(Written(RowFormat::kCsv, Row(text)), std::string("5,-2,lost,,") + text + ",7,\n");
    EXPECT_EQ(Written(RowFormat::kCsvSafe, Row(text)),
              std::string("5,-2,lost,,'") + text + ",7,\n");
  }
  EXPECT_EQ(Written(RowFormat::kCsvSafe, Row("=\"a\",b")), "5,-2,lost,,\"'=\"\"a\"\",b\",7,\n");
  EXPECT_EQ(Written(RowFormat::kCsvSafe, Row("a=1")), "5,-2,lost,,a=1,7,\n");
  EXPECT_EQ(Written(RowFormat::kCsvSafe, Row("")), "5,-2,lost,,\"\",7,\n");
}

TEST(RowFormatTest, WritesTsv) {
  EXPECT_EQ(Written(RowFormat::kTsv, Row("a\t\\\n")), "5\t-2\tlost\t\\N\ta\\t\\\\\\n\t7\t\\N\n");
}

TEST(RowFormatTest, WritesRowBinary) {
  using namespace std::string_literals;
  EXPECT_EQ(Written(RowFormat::kRowBinary, Row("ab")),
            "\5\0\0\0\0\0\0\0"s + "\xfe\xff\xff\xff\xff\xff\xff\xff"s + "\4lost"s + "\1"s +
                "\0\2ab"s + "\0\7\0\0\0\0\0\0\0"s + "\1"s);
  const std::string longer(300, 'x');
  EXPECT_NE(Written(RowFormat::kRowBinary, Row(longer)).find("\xac\2x"), std::string::npos);
}

TEST(RowFormatTest, WritesHeaders) {
  fmt::memory_buffer out;
  AppendHeader(out, RowFormat::kTsv, InfoOf(tables::Table::kLosses));
  EXPECT_EQ(fmt::to_string(out), "capture\tts\tkind\tcpu\tcategory\tcount\tprovider\n");
  out.clear();
  AppendHeader(out, RowFormat::kRowBinary, InfoOf(tables::Table::kLosses));
  EXPECT_EQ(out.size(), 0U);
  AppendHeader(out, RowFormat::kCsv, InfoOf(tables::Table::kCaptures));
  EXPECT_TRUE(fmt::to_string(out).starts_with("capture,file,host"));
}

}  // namespace
}  // namespace exporting
