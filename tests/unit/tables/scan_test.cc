// SPDX-License-Identifier: BSD-2-Clause
// Scans stay within the memory that they share, and find all rows that are wanted.
#include "tables/scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/fxt/support/file_builder.h"
#include "unit/measure/overlapping_requests.h"
#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

constexpr int kThreads = 10'000;

void AddThreads(fxt::testing::FileBuilder& file) {
  for (int i = 1; i <= kThreads; ++i) {
    const std::string name = "thread " + std::to_string(i);
    file.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                               static_cast<fxt::Koid>(i),
                               fxt::StringRef::Inline(name),
                               {}});
  }
}

size_t CountRows(Scan& scan) {
  scan.Want(Table::kThreads, kAllColumns);
  size_t rows = 0;
  while (scan.Advance()) rows += scan.rows(Table::kThreads)->size();
  return rows;
}

TEST(ScanTest, ScansShareABudget) {
  fxt::testing::FileBuilder file;
  AddThreads(file);
  fxt::TableBudget shared{.limit = size_t{4} << 20};
  const auto scan_of = [&](fxt::MemorySource& source, TextPool& texts) {
    return std::make_unique<Scan>("trace.fxt", source, texts, &shared);
  };
  fxt::MemorySource source(file.bytes());
  TextPool texts(TextPool::kMaxBytes, &shared);
  auto first = scan_of(source, texts);
  EXPECT_EQ(CountRows(*first), size_t{kThreads});
  EXPECT_FALSE(first->is_incomplete());

  fxt::MemorySource source_again(file.bytes());
  auto second = scan_of(source_again, texts);
  EXPECT_LT(CountRows(*second), size_t{kThreads});
  EXPECT_TRUE(second->is_incomplete());
  EXPECT_LE(shared.used, shared.limit);

  // Ended spans make room.
  first.reset();
  second.reset();
  fxt::MemorySource source_last(file.bytes());
  auto last = scan_of(source_last, texts);
  EXPECT_EQ(CountRows(*last), size_t{kThreads});
  EXPECT_FALSE(last->is_incomplete());
}

TEST(ScanTest, ReadersCountInTheBudget) {
  fxt::testing::FileBuilder file;
  const std::string text(32'000, 'x');
  for (uint16_t i = 1; i <= 200; ++i) file.Add(fxt::StringRecord{i, text});
  fxt::TableBudget shared{.limit = size_t{4} << 20};
  {
    fxt::MemorySource source(file.bytes());
    TextPool texts;
    Scan scan("trace.fxt", source, texts, &shared);
    CountRows(scan);
    EXPECT_GT(shared.used, size_t{3} << 20);
    EXPECT_LE(shared.used, shared.limit);
    EXPECT_GT(scan.reader().diagnostics().count(fxt::DiagnosticKind::kTableLimit), 0u);
  }
  EXPECT_EQ(shared.used, 0u);
}

constexpr uint64_t kMarks = 40'000;

// A mark and a switch every microsecond. Behind `damaged` marks stands a switch of a time far
// ahead.
std::vector<std::byte> Marks(uint64_t damaged) {
  measure::testing::TraceScript script(measure::testing::TraceScript::kIndexed);
  script.Name(10, "app");
  for (uint64_t i = 1; i <= kMarks; ++i) {
    script.Instant(i * 1000, 10, "app", "mark", {});
    if (i % 2 == 0) script.Switch(i * 1000, 0, 10, "R", 0);
    if (i % 2 == 1) script.Switch(i * 1000, 0, 0, "R", 10);
    if (i == damaged) script.Switch(uint64_t{1} << 60, 0, 10, "R", 0);
  }
  const auto bytes = script.bytes();
  return {bytes.begin(), bytes.end()};
}

RowFilter UpToMark(uint64_t number) {
  RowFilter filter;
  filter.from = 10'001;  // what the CPUs did before the first switch is not asked for
  filter.to = static_cast<int64_t>(number * 1000);
  return filter;
}

TEST(ScanTest, ADamagedTimeFarAheadIsNotTheEndOfTheRows) {
  const auto trace = Marks(101);
  const auto rows = testing::RowsOf(trace, Table::kInstants, {instants::kTs}, UpToMark(20'000));
  EXPECT_EQ(rows.size(), 19'990u);
}

TEST(ScanTest, PathsAreInProportionToTheTrace) {
  constexpr uint64_t kRequests = 2500;
  constexpr uint64_t kParts = 2001;
  measure::testing::OverlappingRequests trace(kRequests, kParts / 2);
  fxt::MemorySource source(trace.bytes());
  TextPool texts;
  Scan scan("trace.fxt", source, texts);
  scan.Want(Table::kRequests, uint64_t{1} << requests::kId);
  scan.Want(Table::kPath, uint64_t{1} << path_parts::kRequest);
  uint64_t ids = 0;
  uint64_t parts = 0;
  while (scan.Advance()) {
    ids += scan.rows(Table::kRequests)->size();
    parts += scan.rows(Table::kPath)->size();
  }
  EXPECT_EQ(ids, kRequests);
  EXPECT_LT(parts, RequestRows::kFreeSteps + trace.bytes().size() / path::PathWalker::kBytesOfStep +
                       2 * kParts);
  EXPECT_GT(parts, RequestRows::kFreeSteps / 2);
  // A path is whole or not there.
  EXPECT_EQ(parts, kParts * (kRequests - scan.faults().paths_left_out));
  EXPECT_FALSE(scan.is_incomplete());
}

TEST(ScanTest, TheScanEndsSoonBehindTheLastRow) {
  const auto trace = Marks(0);
  fxt::MemorySource source(trace);
  TextPool texts;
  Scan scan("trace.fxt", source, texts);
  scan.Want(Table::kInstants, uint64_t{1} << instants::kTs, UpToMark(1'000));
  size_t found = 0;
  while (scan.Advance()) found += scan.rows(Table::kInstants)->size();
  EXPECT_EQ(found, 990u);
  EXPECT_LT(scan.reader().position(), trace.size() / 2);
}

}  // namespace
}  // namespace tables
