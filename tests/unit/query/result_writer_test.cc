// SPDX-License-Identifier: BSD-2-Clause
#include "query/result_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace query {
namespace {

std::string Written(Format format, std::string_view text) {
  text::TextWriter out;
  const auto writer = MakeResultWriter(format, out);
  const std::vector<std::string> names = {"name", "value"};
  std::vector<tables::Cell> row(2);
  row[0].Set(text);
  row[1].Set(int64_t{-5});
  writer->Begin(names);
  writer->Row(row);
  writer->End();
  return std::string(out.text());
}

TEST(ResultWriterTest, CsvQuotesAndKeepsEmptyTexts) {
  EXPECT_EQ(Written(Format::kCsv, "a,\"b"), "name,value\n\"a,\"\"b\",-5\n");
  EXPECT_EQ(Written(Format::kCsv, ""), "name,value\n\"\",-5\n");
}

TEST(ResultWriterTest, SafeCsvDisarmsFormulas) {
  for (const std::string text : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    EXPECT_EQ(Written(Format::kCsv, text), "name,value\n" + text + ",-5\n");
    EXPECT_EQ(Written(Format::kCsvSafe, text), "name,value\n'" + text + ",-5\n");
  }
  EXPECT_EQ(Written(Format::kCsvSafe, "=A1,2"), "name,value\n\"'=A1,2\",-5\n");
}

}  // namespace
}  // namespace query
