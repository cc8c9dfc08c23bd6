// SPDX-License-Identifier: BSD-2-Clause
#include "query/joined_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/query/sqlite_copy.h"

namespace query {
namespace {

using columns::testing::TextRows;

class JoinedRowsTest : public ::testing::Test {
 protected:
  columns::testing::MixedTrace trace_{60'000};
  std::unique_ptr<columns::ColumnFile> file_ = columns::testing::FileOf(trace_.bytes());
  testing::SqliteCopy sqlite_{file_.get()};
};

// Keys come first in each, as in the rows of groups, which are in their order.
TEST_F(JoinedRowsTest, SumsAreThoseOfSqlite) {
  for (const char* statement :
       {"SELECT t.name, count(*), sum(s.length), count(DISTINCT s.ts / 1000) FROM slices s JOIN "
        "threads t ON t.koid = s.koid GROUP BY t.name ORDER BY 1",
        "SELECT t.name, count(*) FROM threads t, slices s WHERE t.koid = s.koid AND t.tid > 7 AND "
        "s.cpu = 0 GROUP BY t.name ORDER BY 1",
        "SELECT c.cpu, count(*), sum(s.length) FILTER (WHERE s.length > c.cpu + 5) FROM slices s "
        "LEFT JOIN cpus c ON c.cpu = s.cpu GROUP BY c.cpu ORDER BY 1",
        "SELECT c.cpu, count(*), count(c.cpu) FROM slices s LEFT JOIN (SELECT cpu FROM cpus WHERE "
        "cpu = 1) c ON c.cpu = s.cpu GROUP BY c.cpu ORDER BY 1",
        "SELECT t.name, count(*) FROM slices s JOIN (SELECT name FROM threads UNION ALL SELECT "
        "name FROM threads) t ON t.name = s.thread GROUP BY t.name ORDER BY 1",
        "SELECT a.cpu, count(*), min(b.ts - a.ts), max(b.ts - a.ts) FROM (SELECT * FROM slices "
        "LIMIT 50) a JOIN slices b ON b.ts BETWEEN a.ts - 200 AND a.ts + 100 AND b.cpu <> a.cpu "
        "GROUP BY a.cpu ORDER BY 1",
        "SELECT a.cpu, count(*) FROM (SELECT * FROM slices LIMIT 50) a, slices b WHERE b.ts > a.ts "
        "AND a.ts + 300 > b.ts GROUP BY a.cpu ORDER BY 1",
        "WITH w AS (SELECT ts, dur, cpu FROM waits ORDER BY dur DESC, ts LIMIT 1) SELECT s.thread, "
        "sum(min(s.ts + s.length, w.ts + w.dur) - max(s.ts, w.ts)) "
        "FROM w CROSS JOIN slices s WHERE s.cpu = w.cpu AND s.ts < w.ts + w.dur AND s.ts + "
        "s.length > w.ts GROUP BY s.thread ORDER BY 1",
        "SELECT t.name, max(s.ts), s.length FROM slices s JOIN threads t ON t.tid = s.tid GROUP BY "
        "t.name ORDER BY 1",
        "SELECT t.koid, t.name, count(*) FROM slices s JOIN threads t ON t.tid = s.tid GROUP BY "
        "t.koid ORDER BY 1",
        "SELECT count(*) FROM slices s JOIN (SELECT 1 AS x WHERE 0) e",
        "SELECT count(*) FROM slices s JOIN (SELECT NULL AS x) e ON e.x = s.cpu",
        "SELECT count(*) FROM slices s LEFT JOIN (SELECT 1 AS x WHERE 0) e ON e.x = s.cpu WHERE "
        "e.x IS NULL",
        "SELECT p.kind, count(DISTINCT r.id), sum(p.dur), sum(p.dur) FILTER (WHERE p.tid IS NOT "
        "r.tid) FROM path p JOIN requests r ON r.id = p.request GROUP BY p.kind ORDER BY 1",
        "SELECT s.cpu, count(*) FROM slices s WHERE s.length > (SELECT avg(length) FROM slices) "
        "GROUP BY s.cpu ORDER BY 1"}) {
    const auto summed = sqlite_.Summed(statement);
    ASSERT_TRUE(summed) << statement;
    EXPECT_EQ(*summed, *sqlite_.Ask(statement)) << statement;
  }
}

TEST_F(JoinedRowsTest, LeavesOthersToSqlite) {
  for (const char* statement :
       {"SELECT count(*) FROM slices s JOIN threads USING (tid)",
        "SELECT count(*) FROM slices s NATURAL JOIN threads",
        "SELECT count(*) FROM slices s LEFT JOIN threads t ON t.tid > s.tid",
        "SELECT count(*) FROM threads t LEFT JOIN slices s ON s.tid = t.tid AND s.cpu = t.tid",
        "SELECT count(*) FROM slices s JOIN (SELECT 'x' AS cpu) e ON e.cpu = s.cpu",
        "SELECT count(*) FROM slices s JOIN (SELECT 1 AS cpu UNION ALL SELECT 'x') e ON e.cpu = "
        "s.cpu",
        "SELECT count(*) FROM slices s JOIN nothing n ON n.cpu = s.cpu",
        "SELECT count(*) FROM slices s JOIN cpus c ON c.cpu = cpu",
        "SELECT c.cpu, s.ts, count(*) FROM slices s JOIN cpus c ON c.cpu = s.cpu GROUP BY c.cpu",
        "SELECT count(*) FROM cpus c, (SELECT count(*) AS n FROM slices i WHERE i.cpu = c.cpu)",
        "SELECT count(*) FROM (SELECT 1 AS x)"}) {
    EXPECT_FALSE(sqlite_.Summed(statement)) << statement;
  }
}

TEST_F(JoinedRowsTest, IsCancelled) {
  size_t last = 0;
  const auto selects = FindGroups("SELECT count(*) FROM slices", last);
  ASSERT_EQ(selects.size(), 1U);
  GroupInput input = sqlite_.input();
  input.cancelled = [] { return true; };
  EXPECT_FALSE(SumGroups(selects[0].query, input));
}

}  // namespace
}  // namespace query
