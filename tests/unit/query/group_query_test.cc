// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_query.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/query/sqlite_copy.h"

namespace query {
namespace {

std::string Rewritten(std::string_view statement) {
  static const testing::SqliteCopy sqlite = [] {
    columns::testing::MixedTrace trace(500);
    return testing::SqliteCopy(columns::testing::FileOf(trace.bytes()).get());
  }();
  std::string text;
  size_t done = 0;
  size_t last = 0;
  for (const GroupSelect& select : FindGroups(statement, last, sqlite.describe())) {
    text.append(statement, done, select.begin - done);
    text += select.text;
    done = select.end;
  }
  return done == 0 ? "" : text + std::string(statement.substr(done));
}

TEST(GroupQueryTest, SumsBecomeColumnsOfGroups) {
  EXPECT_EQ(Rewritten("SELECT count(*) FROM slices"),
            R"x(SELECT "#v0" AS "count(*)" FROM temp.fxt_groups_1)x");
  EXPECT_EQ(Rewritten("SELECT s.process AS p, sum(length) / 1e6 ms FROM slices s WHERE cpu = 3 AND "
                      "certain IS NULL "
                      "GROUP BY p HAVING count(*) > 2 ORDER BY ms DESC LIMIT 5"),
            "");  // slices have no column `certain`
  EXPECT_EQ(Rewritten("SELECT s.process AS p, sum(length) / 1e6 ms FROM slices s WHERE cpu = 3 "
                      "GROUP BY p HAVING count(*) > 2 ORDER BY ms DESC LIMIT 5;"),
            R"(SELECT "#k0" AS p, "#v0" / 1e6 AS ms FROM temp.fxt_groups_1 WHERE "#v1" > 2 )"
            R"(ORDER BY ms DESC LIMIT 5;)");
  EXPECT_EQ(Rewritten("SELECT ts / 5 AS t, count(*) FROM waits GROUP BY t ORDER BY ts / 5"),
            R"x(SELECT "#k0" AS t, "#v0" AS "count(*)" FROM temp.fxt_groups_1 ORDER BY "#k0")x");
}

TEST(GroupQueryTest, JoinsAndCallsOfExpressions) {
  EXPECT_EQ(
      Rewritten("WITH r AS (SELECT id, name FROM requests) SELECT r.name, p.kind, sum(p.dur) / "
                "count(DISTINCT r.id) AS each "
                "FROM path p JOIN r ON r.id = p.request GROUP BY r.name, p.kind ORDER BY each"),
      R"(WITH r AS (SELECT id, name FROM requests) SELECT "#k0" AS "name", "#k1" AS "kind", "#v0" / "#v1" AS each )"
      "FROM temp.fxt_groups_1 ORDER BY each");
  EXPECT_EQ(
      Rewritten("SELECT cpu, thread, max(dur) FROM slices GROUP BY cpu"),
      R"x(SELECT "#k0" AS "cpu", "#v0" AS "thread", "#v1" AS "max(dur)" FROM temp.fxt_groups_1)x");
  EXPECT_EQ(Rewritten("SELECT sum(dur + 1) FILTER (WHERE cpu = 1 OR tid > 7) AS n FROM slices"),
            R"(SELECT "#v0" AS n FROM temp.fxt_groups_1)");
}

TEST(GroupQueryTest, PartsOfAQuery) {
  size_t last = 4;
  const auto found = FindGroups(
      "SELECT ts / 1000 AS t, kind, quantile(dur, 0.5) FROM waits "
      "WHERE kind IN ('a', 'it''s') AND ts BETWEEN 5 AND 9 AND waker IS NOT NULL GROUP BY t, 2",
      last);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(last, 5U);
  EXPECT_EQ(found[0].number, 5U);
  const GroupQuery& query = found[0].query;
  ASSERT_EQ(query.relations.size(), 1U);
  EXPECT_EQ(query.relations[0].table, tables::Table::kWaits);
  EXPECT_EQ(query.relations[0].own.size(), 3U);
  ASSERT_EQ(query.keys.size(), 2U);
  EXPECT_EQ(query.keys[0].kind, Expression::Kind::kDivide);
  EXPECT_EQ(query.keys[1].column.column, tables::waits::kKind);
  EXPECT_EQ(TypeOf(query.keys[0], query), "");
  EXPECT_EQ(TypeOf(query.keys[1], query), "TEXT");
  EXPECT_EQ(query.conditions.size(), 3U);
  ASSERT_EQ(query.values.size(), 1U);
  EXPECT_EQ(query.values[0].q, 0.5);
}

TEST(GroupQueryTest, LeavesUnsupportedStatementsToSqlite) {
  for (const char* statement :
       {"SELECT 1 FROM slices", "SELECT * FROM slices",
        "SELECT cpu, thread, max(dur), min(dur) FROM slices GROUP BY cpu",
        "SELECT count(*) FROM slices JOIN waits USING (cpu)",
        "SELECT sum(DISTINCT cpu) FROM slices", "SELECT sum(dur) OVER () FROM slices",
        "SELECT count(*) FROM nothing", "SELECT sum(dur || 1) FROM slices",
        "SELECT cpu, count(*) AS dur FROM slices GROUP BY cpu",
        "SELECT count(*) FROM slices UNION SELECT count(*) FROM waits",
        "WITH slices AS (SELECT 1) SELECT count(*) FROM slices",
        "EXPLAIN SELECT count(*) FROM slices",
        "SELECT * FROM (WITH slices AS (SELECT 1) SELECT count(*) FROM slices)",
        "SELECT count(*) FROM slices WHERE", "SELECT count(*) FROM slices)",
        "SELECT group_concat(cpu) FROM slices",
        "SELECT DISTINCT cpu, count(*) FROM slices GROUP BY cpu", "SELECT 'unended FROM slices",
        "SELECT cpu, (SELECT count(*) FROM idle i WHERE i.cpu = slices.cpu), count(*) FROM slices "
        "GROUP BY cpu"}) {
    EXPECT_EQ(Rewritten(statement), "") << statement;
  }
}

}  // namespace
}  // namespace query
