// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_query.h"

#include <gtest/gtest.h>

#include <string>

namespace query {
namespace {

std::string Rewritten(std::string_view statement) {
  std::string text;
  size_t done = 0;
  for (const GroupSelect& select : FindGroups(statement, 1)) {
    text.append(statement, done, select.begin - done);
    text += select.text;
    done = select.end;
  }
  return done == 0 ? "" : text + std::string(statement.substr(done));
}

TEST(GroupQueryTest, SumsBecomeColumnsOfGroups) {
  EXPECT_EQ(Rewritten("SELECT count(*) FROM slices"),
            R"x(SELECT "#v0" AS "count(*)" FROM temp.fxt_groups_1 AS "slices")x");
  EXPECT_EQ(Rewritten("SELECT s.process AS p, sum(length) / 1e6 ms FROM slices s WHERE cpu = 3 AND certain IS NULL "
                      "GROUP BY p HAVING count(*) > 2 ORDER BY ms DESC LIMIT 5"),
            "");  // slices have no column `certain`
  EXPECT_EQ(Rewritten("SELECT s.process AS p, sum(length) / 1e6 ms FROM slices s WHERE cpu = 3 "
                      "GROUP BY p HAVING count(*) > 2 ORDER BY ms DESC LIMIT 5;"),
            R"(SELECT "s"."process" AS p, "#v0" / 1e6 AS ms FROM temp.fxt_groups_1 AS "s" WHERE "#v1" > 2 )"
            R"(ORDER BY ms DESC LIMIT 5;)");
  EXPECT_EQ(Rewritten("SELECT ts / 5 AS t, count(*) FROM waits GROUP BY t ORDER BY ts / 5"),
            R"x(SELECT "#k0" AS t, "#v0" AS "count(*)" FROM temp.fxt_groups_1 AS "waits" ORDER BY "#k0")x");
}

TEST(GroupQueryTest, ConditionsAndKeys) {
  const auto found = FindGroups(
      "SELECT (ts - (SELECT begin_ts FROM captures)) / 1000 AS t, kind, quantile(dur, 0.5) FROM waits "
      "WHERE kind IN ('a', 'it''s') AND ts BETWEEN 5 AND 9 AND tid > 7 AND waker IS NOT NULL GROUP BY t, 2",
      1);
  ASSERT_EQ(found.size(), 1U);
  const GroupQuery& query = found[0].query;
  ASSERT_EQ(query.keys.size(), 2U);
  EXPECT_EQ(query.keys[0].steps.size(), 5U);
  EXPECT_EQ(query.keys[1].column, tables::waits::kKind);
  ASSERT_EQ(query.conditions.size(), 4U);
  EXPECT_EQ(query.conditions[0].texts, (std::vector<std::string>{"a", "it's"}));
  EXPECT_EQ(query.conditions[1].from, 5);
  EXPECT_EQ(query.conditions[1].to, 9);
  EXPECT_EQ(query.conditions[2].from, 8);
  EXPECT_EQ(query.conditions[3].kind, ColumnCondition::Kind::kIsNotNull);
  ASSERT_EQ(query.values.size(), 1U);
  EXPECT_EQ(query.values[0].q, 0.5);
}

TEST(GroupQueryTest, WhatIsNotUnderstoodIsLeftToSqlite) {
  for (const char* statement :
       {"SELECT 1 FROM slices", "SELECT * FROM slices", "SELECT cpu, thread, max(dur) FROM slices GROUP BY cpu",
        "SELECT count(*) FROM slices, waits", "SELECT count(*) FROM slices JOIN waits USING (cpu)",
        "SELECT count(DISTINCT cpu) FROM slices", "SELECT sum(dur) OVER () FROM slices",
        "SELECT count(*) FILTER (WHERE cpu = 1) FROM slices", "SELECT count(*) FROM slices WHERE cpu = '1'",
        "SELECT count(*) FROM slices WHERE cpu = 1 OR cpu = 2", "SELECT count(*) FROM nothing",
        "SELECT sum(dur + 1) FROM slices", "SELECT cpu, count(*) AS dur FROM slices GROUP BY cpu",
        "SELECT count(*) FROM slices UNION SELECT count(*) FROM waits",
        "WITH slices AS (SELECT 1) SELECT count(*) FROM slices", "EXPLAIN SELECT count(*) FROM slices",
        "SELECT count(*) FROM slices WHERE", "SELECT count(*) FROM slices)", "SELECT group_concat(cpu) FROM slices",
        "SELECT DISTINCT cpu, count(*) FROM slices GROUP BY cpu", "SELECT 'unended FROM slices",
        "SELECT cpu, (SELECT count(*) FROM idle i WHERE i.cpu = slices.cpu), count(*) FROM slices GROUP BY cpu"}) {
    EXPECT_EQ(Rewritten(statement), "") << statement;
  }
}

}  // namespace
}  // namespace query
