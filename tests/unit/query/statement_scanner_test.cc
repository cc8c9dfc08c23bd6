// SPDX-License-Identifier: BSD-2-Clause
#include "query/statement_scanner.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <ctime>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace query {
namespace {

bool IsComplete(std::string_view text) {
  StatementScanner scanner;
  while (!text.empty()) {
    const size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
    scanner.Add(text.substr(0, line));
    text.remove_prefix(line);
  }
  return scanner.complete();
}

TEST(StatementScannerTest, ASemicolonEndsAStatement) {
  EXPECT_FALSE(IsComplete(""));
  EXPECT_FALSE(IsComplete("-- nothing\n"));
  EXPECT_FALSE(IsComplete("SELECT 1\n"));
  EXPECT_TRUE(IsComplete("SELECT 1\n;\n"));
  EXPECT_TRUE(IsComplete("SELECT 1; -- and\n /* that\nis */ \n"));
  EXPECT_FALSE(IsComplete("SELECT 1; /* not\nyet\n"));
  EXPECT_FALSE(IsComplete("SELECT 1; SELECT 2\n"));
}

TEST(StatementScannerTest, WithinTextsAndCommentsItDoesNot) {
  EXPECT_FALSE(IsComplete("SELECT 'a;\n"));
  EXPECT_TRUE(IsComplete("SELECT 'a;\nb';\n"));
  EXPECT_FALSE(IsComplete("SELECT \"a\";\"b;\n"));
  EXPECT_FALSE(IsComplete("SELECT [a;]\n"));
  EXPECT_FALSE(IsComplete("SELECT 1 -- ;\n"));
  EXPECT_FALSE(IsComplete("SELECT 1 /* ; */\n"));
}

TEST(StatementScannerTest, ATriggerEndsWithItsEnd) {
  const std::string begun = "create TEMP trigger t AFTER INSERT ON x BEGIN\nSELECT 1;\n";
  EXPECT_FALSE(IsComplete(begun));
  EXPECT_FALSE(IsComplete(begun + "END\n"));
  EXPECT_TRUE(IsComplete(begun + "END;\n"));
  EXPECT_FALSE(IsComplete("EXPLAIN QUERY PLAN " + begun));
}

TEST(StatementScannerTest, ItSaysWhatSqliteSays) {
  constexpr std::string_view kPieces[] = {";",         ";",       " ",
                                          "\n",        "\n",      "SELECT",
                                          "x1",        "'",       "\"",
                                          "`",         "[",       "]",
                                          "--",        "-",       "/*",
                                          "*/",        "/",       "\xc3\xa4",
                                          "CREATE",    "create",  "TEMP",
                                          "TEMPORARY", "TRIGGER", "END",
                                          "end;",      "EXPLAIN", "EXPLAIN SELECT "};
  std::mt19937 random(17);
  int complete = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text = random() % 4 == 0 ? "CREATE TRIGGER " : random() % 4 == 0 ? "EXPLAIN " : "";
    for (auto pieces = random() % 12; pieces > 0; --pieces) {
      text += kPieces[random() % std::size(kPieces)];
      if (random() % 2 == 0) text += ' ';
    }
    text += '\n';
    const bool expected = sqlite3_complete(text.c_str()) != 0;
    complete += expected ? 1 : 0;
    ASSERT_EQ(IsComplete(text), expected) << text;
  }
  EXPECT_GT(complete, 1'000);
}

TEST(StatementScannerTest, TimeGrowsWithTheText) {
  StatementScanner scanner;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 1'000'000; ++i) scanner.Add("('a;b'),\n");
  EXPECT_FALSE(scanner.complete());
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10) << "seconds of CPU time";
}

}  // namespace
}  // namespace query
