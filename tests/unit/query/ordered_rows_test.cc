// SPDX-License-Identifier: BSD-2-Clause
#include "query/ordered_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/query/sqlite_copy.h"

namespace query {
namespace {

using columns::testing::TextRows;

class OrderedRowsTest : public ::testing::Test {
 protected:
  // More than a block of events.
  static const columns::ColumnFile& File() {
    static const auto file =
        columns::testing::FileOf(columns::testing::MixedTrace(600'000).bytes());
    return *file;
  }
  static const testing::SqliteCopy& Sqlite() {
    static const testing::SqliteCopy sqlite(&File());
    return sqlite;
  }
  const testing::SqliteCopy& sqlite_ = Sqlite();
};

TEST_F(OrderedRowsTest, WindowsAreThoseOfSqlite) {
  for (const char* statement :
       {"WITH e AS (SELECT ts, 1 AS step FROM waits WHERE kind <> 'sleep' UNION ALL SELECT ts + "
        "length, -1 FROM waits WHERE kind <> 'sleep'), "
        "l AS (SELECT lead(ts) OVER (ORDER BY ts) - ts AS held, sum(step) OVER (ORDER BY ts) AS "
        "level FROM e) "
        "SELECT level, sum(held), count(*) FROM l GROUP BY level ORDER BY level",
        "WITH RECURSIVE marks AS (SELECT 100 AS ts UNION ALL SELECT ts + 1000 FROM marks WHERE ts "
        "< 20000), "
        "e AS (SELECT ts, 1 AS step FROM slices UNION ALL SELECT ts + length, -1 FROM slices UNION "
        "ALL SELECT ts, 0 FROM marks), "
        "l AS (SELECT ts, lead(ts) OVER (ORDER BY ts) - ts AS held, sum(step) OVER (ORDER BY ts) "
        "AS level FROM e) "
        "SELECT ts / 10000 AS t, sum(1.0 * level * held) / sum(held), max(level) FROM l WHERE held "
        "> 0 GROUP BY t ORDER BY t",
        "SELECT count(gap), min(gap), max(gap), sum(n) FROM (SELECT ts - lag(ts) OVER (ORDER BY ts "
        "ASC) AS gap, row_number() OVER (ORDER BY ts) AS n FROM slices)",
        "SELECT max(n), min(n), sum(n) FROM (SELECT count(*) OVER (ORDER BY w.ts) AS n FROM waits "
        "w)",
        "SELECT count(n), sum(n) FROM (SELECT lead(x) OVER (ORDER BY ts) AS n FROM (SELECT ts, 5 "
        "AS x FROM slices UNION ALL SELECT ts, 7 FROM waits))",
        "SELECT count(*), max(g) FROM (SELECT lead(ts) OVER (ORDER BY ts) AS g FROM (SELECT ts "
        "FROM slices WHERE cpu = 77 UNION ALL SELECT ts FROM waits WHERE tid < 0))"}) {
    const auto summed = sqlite_.Summed(statement);
    ASSERT_TRUE(summed) << statement;
    const auto expected = *sqlite_.Ask(statement);
    ASSERT_EQ(summed->size(), expected.size()) << statement;
    // A quotient of sums is made of the groups.
    if (std::string_view(statement).find(") / sum") != std::string_view::npos) continue;
    EXPECT_EQ(*summed, expected) << statement;
  }
}

TEST_F(OrderedRowsTest, LeavesOthersToSqlite) {
  for (const char* statement :
       {"SELECT sum(b) FROM (SELECT lag(cpu) OVER (ORDER BY ts) AS b FROM slices)",
        "SELECT sum(b) FROM (SELECT lag(ts, 2) OVER (ORDER BY ts) AS b FROM slices)",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts DESC) AS b FROM slices)",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (PARTITION BY cpu ORDER BY ts) AS b FROM slices)",
        "SELECT sum(b) FROM (SELECT sum(ts) OVER (ORDER BY ts ROWS 2 PRECEDING) AS b FROM slices)",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts) AS b FROM slices WHERE cpu = 0)",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts) AS b FROM slices LIMIT 5)",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts) AS b FROM (SELECT ts FROM slices "
        "UNION SELECT ts FROM waits))",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts) AS b FROM (SELECT ts FROM slices "
        "UNION ALL SELECT ts FROM waits LIMIT 5))",
        "SELECT sum(b) FROM (SELECT lag(dur) OVER (ORDER BY dur) AS b FROM waits)",
        "SELECT sum(b) FROM (SELECT lag(ts) OVER (ORDER BY ts) + max(ts) OVER (ORDER BY ts) AS b "
        "FROM slices)"}) {
    EXPECT_FALSE(sqlite_.Summed(statement)) << statement;
  }
}

}  // namespace
}  // namespace query
