// SPDX-License-Identifier: BSD-2-Clause
// The fast path makes the same rows as the general code.
#include <gtest/gtest.h>

#include <random>

#include "tables/fact_rows.h"
#include "unit/measure/random_trace.h"
#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

using measure::testing::FillAtRandom;
using measure::testing::TraceScript;
using testing::RowsOf;

// Number of records that a pass over the trace with these tables reads on the fast path.
uint64_t CountFastPath(std::span<const std::byte> bytes, Table table, bool with_timeline) {
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  TextPool texts;
  TaskNames names(texts);
  Batches batches;
  batches.Want(table, kAllColumns, {});
  FactRows rows(names, batches, with_timeline, false, nullptr, 0);
  uint64_t taken = 0;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    rows.Add(reader);
    taken += rows.AddFastPath(reader, 10);
  }
  return taken;
}

// Records with indexed threads and names are on the fast path; the same records with inline threads
// and names are not.
TEST(FastPathRowsTest, EqualThoseOfTheGeneralCode) {
  uint64_t plain = 0;
  uint64_t passed = 0;
  uint64_t of_inline = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TraceScript trace(TraceScript::kInline);
    TraceScript indexed(TraceScript::kIndexed);
    FillAtRandom(trace, seed, seed % 2 == 0, seed % 3 == 0);
    FillAtRandom(indexed, seed, seed % 2 == 0, seed % 3 == 0);
    RowFilter filter;
    std::mt19937_64 random(seed);
    if (seed % 4 == 0) filter.from = static_cast<int64_t>(1000 + random() % 600);
    if (seed % 4 <= 1) filter.to = static_cast<int64_t>(1200 + random() % 400);
    if (seed % 5 == 0) filter.cpu = 1;
    if (seed % 7 == 0) filter.tid = 2;
    for (const TableInfo& info : Tables()) {
      uint64_t wanted = (uint64_t{1} << info.columns.size()) - 1;
      // The file of the one has more records than that of the other.
      if (info.table == Table::kCaptures) {
        wanted &= ~(uint64_t{1} << captures::kCapture | uint64_t{1} << captures::kRecords);
      }
      ASSERT_EQ(RowsOf(indexed.bytes(), info.table, wanted, filter),
                RowsOf(trace.bytes(), info.table, wanted, filter))
          << info.name << ", seed " << seed;
    }
    plain += CountFastPath(indexed.bytes(), Table::kWaits, true);
    passed += CountFastPath(indexed.bytes(), Table::kWakeups, false);
    of_inline += CountFastPath(trace.bytes(), Table::kWaits, true);
  }
  EXPECT_GT(plain, 200u * 30);
  EXPECT_GT(passed, 200u * 100);
  // Wakeups by interrupts alone.
  EXPECT_LT(of_inline, plain / 4);
}

// Records that name threads occur between records of the fast path.
TEST(FastPathRowsTest, HaveTheNamesOfTheirTime) {
  TraceScript trace(TraceScript::kIndexed);
  trace.Name(10, "sh").Name(20, "other").Switch(100, 0, 0, "R", 10).Switch(150, 0, 10, "R+", 20);
  trace.Switch(200, 0, 20, "R+", 10).Switch(250, 0, 10, "R+", 20).Name(10, "ls");
  trace.Switch(300, 0, 20, "R+", 10).Switch(350, 0, 10, "R+", 20).Switch(400, 0, 20, "R+", 10);
  const std::vector<std::string> rows = {"100 sh sh",       "150 other other", "200 sh sh",
                                         "250 other other", "300 ls ls",       "350 other other",
                                         "400 ls ls"};
  EXPECT_EQ(RowsOf(trace.bytes(), Table::kSlices, {slices::kTs, slices::kThread, slices::kProcess}),
            rows);
  EXPECT_GT(CountFastPath(trace.bytes(), Table::kSlices, true), 0u);
}

}  // namespace
}  // namespace tables
