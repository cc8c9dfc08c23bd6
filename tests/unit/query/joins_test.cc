// SPDX-License-Identifier: BSD-2-Clause
// Joins read the file a few times, whatever number of rows they look at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "query/database.h"
#include "unit/measure/trace_script.h"
#include "unit/query/text_rows.h"

namespace query {
namespace {

using measure::testing::TraceScript;

// Sixty requests of four threads that take turns on a CPU.
class JoinsTest : public ::testing::Test {
 protected:
  JoinsTest() {
    TraceScript trace;
    for (fxt::Koid thread = 7; thread < 11; ++thread) {
      trace.Name(thread, "worker" + std::to_string(thread));
    }
    trace.Session(90).Switch(100, 0, 0, "S", 7);
    uint64_t time = 100;
    fxt::Koid thread = 7;
    for (int i = 0; i < kRequests; ++i) {
      trace.Begin(time + 1, thread, "app", i % 3 == 0 ? "cart" : "search");
      const fxt::Koid next = 7 + (thread - 6) % 4;
      trace.Switch(time + 10, 0, thread, "R+", next).Switch(time + 20, 0, next, "R+", thread);
      trace.End(time + 30, thread, "app", "").Switch(time + 40, 0, thread, "R+", next);
      time += 40;
      thread = next;
    }
    path_ = ::testing::TempDir() + "joins_test." + std::to_string(getpid()) + ".fxt";
    std::ofstream file(path_, std::ios::binary);
    const auto bytes = trace.bytes();
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  }
  ~JoinsTest() override { std::remove(path_.c_str()); }

  // The rows that a statement answers. `scans_`: passes over the file.
  std::vector<std::string> Ask(const std::string& statement) {
    scans_ = 0;
    TraceModuleOptions options;
    options.on_end = [&](const tables::ScanFaults&) { ++scans_; };
    auto database = Database::Open(path_, options);
    EXPECT_TRUE(database.ok());
    testing::TextRows rows;
    const util::Status status = (*database)->Run(statement, rows);
    EXPECT_TRUE(status.ok()) << statement << ": " << (status ? "" : status.error().message);
    return rows.rows;
  }
  std::string One(const std::string& statement) {
    const auto rows = Ask(statement);
    return rows.size() == 1 ? rows[0] : std::to_string(rows.size()) + " rows";
  }

  static constexpr int kRequests = 60;
  std::string path_;
  int scans_ = 0;
};

TEST_F(JoinsTest, PathsOfRequestsByTheirIds) {
  const auto joined = Ask(
      "SELECT r.id, r.dur, sum(p.dur), min(r.name) FROM path p JOIN requests r ON p.request = r.id "
      "GROUP BY r.id ORDER BY r.id");
  EXPECT_LE(scans_, 4);
  ASSERT_EQ(joined.size(), size_t{kRequests});
  EXPECT_EQ(joined[0], "1|29|29|cart");
  EXPECT_EQ(joined[1], "2|29|29|search");
  EXPECT_EQ(One("SELECT count(*) FROM path, requests WHERE path.request = requests.id"),
            One("SELECT count(*) FROM path"));
}

TEST_F(JoinsTest, EveryPairOfTablesByNumbersNamesAndTimes) {
  const std::vector<std::pair<std::string, std::string>> joins = {
      {"slices a", "threads b ON a.tid = b.tid"},
      {"threads a", "slices b ON a.tid = b.tid"},
      {"slices a", "threads b ON a.koid = b.koid"},
      {"requests a", "threads b ON a.tid = b.tid"},
      {"threads a", "requests b ON a.tid = b.tid"},
      {"requests a", "requests b ON a.name = b.name"},
      {"waits a", "slices b ON a.koid = b.koid AND a.ts + a.length = b.ts"},
      {"path a", "path b ON a.request = b.request AND a.ts < b.ts"},
      {"requests a", "slices b ON b.ts BETWEEN a.ts AND a.ts + a.dur"},
      {"requests a", "requests b"},
      {"threads a", "processes b ON a.pid = b.pid"},
      {"spans a", "requests b ON a.ts = b.ts"},
  };
  for (const auto& [left, right] : joins) {
    const std::string of = right.substr(0, right.find(' '));
    const std::string rest = right.substr(right.find(' '));
    const std::string first = left.substr(0, left.find(' '));
    const std::string joined = One("SELECT count(*) FROM " + left + " JOIN " + right);
    EXPECT_LE(scans_, 4) << left << " JOIN " << right;
    // The same of tables that are SQLite's own.
    EXPECT_EQ(joined, One("CREATE TEMP TABLE l AS SELECT * FROM " + first +
                          "; CREATE TEMP TABLE r AS SELECT * FROM " + of +
                          "; SELECT count(*) FROM l a JOIN r" + rest))
        << left << " JOIN " << right;
  }
}

TEST_F(JoinsTest, SubqueriesForEachRow) {
  EXPECT_EQ(One("SELECT sum(n) FROM (SELECT (SELECT count(*) FROM path WHERE request = r.id) AS n "
                "FROM requests r)"),
            One("SELECT count(*) FROM path"));
  Ask("SELECT (SELECT sum(length) FROM slices s WHERE s.tid = t.tid) FROM threads t");
  EXPECT_LE(scans_, 3);
  Ask("SELECT name FROM requests r WHERE EXISTS (SELECT 1 FROM path p WHERE p.request = r.id AND "
      "p.kind = 'runnable')");
  EXPECT_LE(scans_, 3);
}

// Rows are not excluded by comparisons that SQLite makes by its own rules.
TEST_F(JoinsTest, ValuesOfOtherTypes) {
  const std::string values =
      "WITH v(x) AS (VALUES (1), (2.0), ('3'), (NULL), (4.5), ('worker8'), (1e30), (x'31')) ";
  for (const char* join :
       {"requests t ON t.id = v.x", "threads t ON t.name = v.x", "requests t ON v.x = t.dur",
        "threads t ON t.name = v.x COLLATE NOCASE", "threads t ON CAST(t.tid AS TEXT) = v.x"}) {
    const std::string joined = join;
    const std::string of = joined.substr(0, joined.find(' '));
    EXPECT_EQ(One(values + "SELECT count(*) || ' ' || group_concat(v.x) FROM v JOIN " + joined),
              One("CREATE TEMP TABLE l AS SELECT * FROM " + of + "; " + values +
                  "SELECT count(*) || ' ' || group_concat(v.x) FROM v JOIN l" +
                  joined.substr(joined.find(' '))))
        << join;
  }
}

TEST_F(JoinsTest, OuterJoinsAndListsAreUnchanged) {
  EXPECT_EQ(One("SELECT count(*) FROM threads t LEFT JOIN requests r ON r.tid = t.tid AND r.name = "
                "'none'"),
            One("SELECT count(*) FROM threads"));
  EXPECT_EQ(One("SELECT count(*) FROM requests WHERE id IN (SELECT request FROM path)"),
            std::to_string(kRequests));
  EXPECT_LE(scans_, 2);
  Ask("SELECT * FROM requests WHERE tid = 7");
  EXPECT_EQ(scans_, 1);
}

}  // namespace
}  // namespace query
