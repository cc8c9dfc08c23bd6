// SPDX-License-Identifier: BSD-2-Clause
#include "query/aggregates.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace query {
namespace {

class AggregatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
    ASSERT_EQ(RegisterAggregates(database_), SQLITE_OK);
  }
  void TearDown() override { sqlite3_close(database_); }

  // The first value of a statement; "error" or "NULL".
  std::string Answer(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return "error";
    }
    std::string answer = "error";
    if (sqlite3_step(statement) == SQLITE_ROW) {
      const unsigned char* text = sqlite3_column_text(statement, 0);
      answer = text == nullptr ? "NULL" : reinterpret_cast<const char*>(text);
    }
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  sqlite3* database_ = nullptr;
};

// Values below 64 are exact.
TEST_F(AggregatesTest, QuantilesOfValuesAndOfWeights) {
  const std::string values =
      " FROM (SELECT column1 AS v, column2 AS w FROM (VALUES (1, 97), (2, 1), (3, 1), (40, 1)))";
  EXPECT_EQ(Answer("SELECT quantile(v, 0.5)" + values), "2");
  EXPECT_EQ(Answer("SELECT quantile(v, 1)" + values), "40");
  EXPECT_EQ(Answer("SELECT quantile(v, 0.5, w)" + values), "1");
  EXPECT_EQ(Answer("SELECT quantile(v, 0.99, w)" + values), "3");
  EXPECT_EQ(Answer("SELECT quantile(v, 0.5)" + values + " WHERE v > 50"), "NULL");
}

TEST_F(AggregatesTest, RefusesFractionsAndNegativeNumbers) {
  for (const char* value : {"-1", "1.5", "'text'"}) {
    EXPECT_EQ(Answer(std::string("SELECT quantile(") + value + ", 0.5)"), "error") << value;
    EXPECT_EQ(Answer(std::string("SELECT histogram(") + value + ")"), "error") << value;
  }
  EXPECT_EQ(Answer("SELECT quantile(1, 2)"), "error");
}

TEST_F(AggregatesTest, AHistogramHasAllValues) {
  EXPECT_EQ(Answer("WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 1000) "
                   "SELECT sum(value ->> 'count') FROM json_each((SELECT histogram(v) FROM n))"),
            "1000");
  EXPECT_EQ(Answer("SELECT histogram(70)"), R"([{"least":64,"most":71,"count":1}])");
}

TEST_F(AggregatesTest, HowManyIntervalsGoOnAtOnce) {
  EXPECT_EQ(Answer("SELECT concurrency(column1, column2) FROM (VALUES (0, 10), (5, 10), (20, 5))"),
            R"([{"level":0,"ns":5},{"level":1,"ns":15},{"level":2,"ns":5}])");
}

}  // namespace
}  // namespace query
