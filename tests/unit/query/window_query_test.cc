// SPDX-License-Identifier: BSD-2-Clause
#include "query/window_query.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/columns/columns_of.h"

namespace query {
namespace {

using tables::Table;

std::string WithoutWindows(std::string_view statement) {
  std::string text;
  size_t done = 0;
  for (const WindowUse& use : FindWindows(statement)) {
    text += std::string(statement.substr(done, use.begin - done)) + "#";
    done = use.end;
  }
  return done == 0 ? "" : text + std::string(statement.substr(done));
}

TEST(WindowQueryTest, FindsWindowsOfAllRowsOfATable) {
  EXPECT_EQ(WithoutWindows("SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts) AS b, ts FROM "
                           "slices s ORDER BY ts"),
            "SELECT # AS b, ts FROM slices s ORDER BY ts");
  EXPECT_EQ(
      WithoutWindows(
          "SELECT max(g) FROM (SELECT lead(ts) over(partition by cpu order by ts asc) - ts AS g, "
          "row_number() OVER (PARTITION BY cpu ORDER BY ts) FROM waits) WHERE g > 1"),
      "SELECT max(g) FROM (SELECT # - ts AS g, # FROM waits) WHERE g > 1");
  const auto found = FindWindows(
      "SELECT count(*) OVER (PARTITION BY tid ORDER BY ts), sum(dur) OVER (PARTITION BY tid ORDER "
      "BY ts) FROM waits");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].query.kind, WindowKind::kCount);
  EXPECT_FALSE(found[0].query.column);
  EXPECT_EQ(found[1].query.column, tables::waits::kDur);
  EXPECT_EQ(found[1].query.partition, tables::waits::kTid);
}

TEST(WindowQueryTest, LeavesOthersToSqlite) {
  for (const char* statement :
       {"SELECT lag(cpu) OVER (ORDER BY ts) FROM slices",
        "SELECT lag(cpu, 2) OVER (PARTITION BY koid ORDER BY ts) FROM slices",
        "SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts DESC) FROM slices",
        "SELECT lag(cpu) OVER (PARTITION BY koid, cpu ORDER BY ts) FROM slices",
        "SELECT sum(cpu) OVER (PARTITION BY koid ORDER BY ts ROWS 2 PRECEDING) FROM slices",
        "SELECT lag(thread) OVER (PARTITION BY koid ORDER BY ts) FROM slices",
        "SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts) FROM slices WHERE cpu = 1",
        "SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts) FROM slices GROUP BY koid",
        "SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts) FROM slices, cpus",
        "SELECT a.b FROM (SELECT tid, lag(cpu) OVER (PARTITION BY koid ORDER BY ts) AS b FROM "
        "slices) a JOIN threads USING (tid)",
        "SELECT lag(cpu) OVER w FROM slices WINDOW w AS (PARTITION BY koid ORDER BY ts)",
        "SELECT lag(cpu) FILTER (WHERE cpu > 1) OVER (PARTITION BY koid ORDER BY ts) FROM slices",
        "WITH slices AS (SELECT 1 AS cpu, 2 AS ts) SELECT lag(ts) OVER (PARTITION BY cpu ORDER BY "
        "ts) FROM slices",
        "SELECT lag(", "SELECT lag(cpu) OVER",
        "SELECT lag(cpu) OVER (PARTITION BY koid ORDER BY ts"}) {
    EXPECT_EQ(WithoutWindows(statement), "") << statement;
  }
}

TEST(WindowQueryTest, ValuesAreThoseOfTheRowsBeforeAndBehind) {
  measure::testing::TraceScript trace;
  trace.Name(7, "one").Session(90).Switch(100, 0, 0, "S", 7).Switch(110, 0, 7, "S", 0);
  trace.Wake(150, 7)
      .Switch(160, 1, 0, "S", 7)
      .Switch(190, 1, 7, "S", 0)
      .Wake(200, 7)
      .Switch(210, 0, 0, "S", 7);
  trace.Switch(215, 0, 7, "S", 0);
  const auto file = columns::testing::FileOf(trace.bytes());
  ASSERT_EQ(file->table(Table::kSlices).rows, 3U);
  const auto values = [&](WindowKind kind) {
    const WindowQuery query{.kind = kind,
                            .table = Table::kSlices,
                            .column = tables::slices::kLength,
                            .partition = tables::slices::kKoid,
                            .order = tables::slices::kTs};
    const auto made = WindowValues::Of(query, *file, WindowValues::kMaxBytes, nullptr);
    EXPECT_TRUE(made);
    std::vector<std::string> cells;
    for (uint64_t row = 0; made && row < 3; ++row) {
      tables::Cell cell;
      made->Put(row, cell);
      cells.push_back(columns::testing::TextOf(cell));
    }
    return cells;
  };
  using Values = std::vector<std::string>;
  EXPECT_EQ(values(WindowKind::kLag), (Values{"NULL", "10", "30"}));
  EXPECT_EQ(values(WindowKind::kLead), (Values{"30", "5", "NULL"}));
  EXPECT_EQ(values(WindowKind::kRowNumber), (Values{"1", "2", "3"}));
  EXPECT_EQ(values(WindowKind::kCount), (Values{"1", "2", "3"}));
  EXPECT_EQ(values(WindowKind::kSum), (Values{"10", "40", "45"}));
}

TEST(WindowQueryTest, RowsInAnotherOrderAndTooManyAreLeftToSqlite) {
  columns::testing::MixedTrace trace;
  const auto file = columns::testing::FileOf(trace.bytes());
  WindowQuery query{.table = Table::kSlices,
                    .column = tables::slices::kCpu,
                    .partition = tables::slices::kCpu,
                    .order = tables::slices::kLength};
  EXPECT_FALSE(WindowValues::Of(query, *file, WindowValues::kMaxBytes, nullptr));
  query.order = tables::slices::kTs;
  EXPECT_TRUE(WindowValues::Of(query, *file, WindowValues::kMaxBytes, nullptr));
  EXPECT_FALSE(WindowValues::Of(query, *file, 100, nullptr));
  EXPECT_FALSE(WindowValues::Of(query, *file, WindowValues::kMaxBytes, [] { return true; }));
}

}  // namespace
}  // namespace query
