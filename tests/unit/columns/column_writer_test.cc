// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/columns/columns_of.h"
#include "unit/measure/overlapping_requests.h"

namespace columns {
namespace {

using tables::Table;

using testing::kKey;

void ExpectRowsOfTrace(const ColumnFile& file, std::span<const std::byte> trace) {
  for (const tables::TableInfo& info : tables::Tables()) {
    EXPECT_EQ(testing::RowsOfFile(file, info.table), testing::RowsOfScan(trace, info.table))
        << info.name;
  }
}

TEST(ColumnWriterTest, ColumnsHaveTheRowsOfAScan) {
  testing::MixedTrace trace;
  const auto file = testing::FileOf(trace.bytes(), testing::kAllSets);
  EXPECT_GT(file->table(Table::kWaits).rows, 500U);
  ExpectRowsOfTrace(*file, trace.bytes());
}

TEST(ColumnWriterTest, TheNextBlockHasNewNumbers) {
  testing::MixedTrace trace(800'000);
  const auto file = testing::FileOf(trace.bytes(), testing::kAllSets);
  EXPECT_GT(file->table(Table::kWaits).blocks(), 1U);
  ExpectRowsOfTrace(*file, trace.bytes());
}

TEST(ColumnWriterTest, SetsThatAreMadeLaterAreThoseOfOnePass) {
  testing::MixedTrace trace(700'000);
  const auto base = testing::FileOf(trace.bytes(), BitOf(ColumnSet::kBase));
  EXPECT_EQ(base->sets(), BitOf(ColumnSet::kBase));
  EXPECT_EQ(base->table(Table::kPath).rows, 0U);
  const auto parts = testing::FileOf(trace.bytes(), BitOf(ColumnSet::kWaitParts), base.get());
  const auto all = testing::FileOf(trace.bytes(), BitOf(ColumnSet::kPaths), parts.get());
  EXPECT_EQ(all->sets(), testing::kAllSets);
  ExpectRowsOfTrace(*all, trace.bytes());
}

TEST(ColumnWriterTest, TheFileHasTheNumberOfPathsThatAreLeftOut) {
  measure::testing::OverlappingRequests trace(1500, 1000);
  const auto base = testing::FileOf(trace.bytes(), BitOf(ColumnSet::kBase));
  EXPECT_EQ(base->faults().paths_left_out, 0U);
  const auto paths = testing::FileOf(trace.bytes(), BitOf(ColumnSet::kPaths), base.get());
  EXPECT_GT(paths->faults().paths_left_out, 0U);
  const auto all = testing::FileOf(trace.bytes(), BitOf(ColumnSet::kWaitParts), paths.get());
  EXPECT_EQ(all->faults().paths_left_out, paths->faults().paths_left_out);
}

TEST(ColumnWriterTest, RowsOfAnotherTraceAreNotAdded) {
  testing::MixedTrace one;
  testing::MixedTrace other(20'000);
  const auto base = testing::FileOf(one.bytes(), BitOf(ColumnSet::kBase));
  fxt::MemorySource source(other.bytes());
  const util::UniqueFd fd(memfd_create("columns", MFD_CLOEXEC));
  const ColumnsOf what{.file = "trace",
                       .key = kKey,
                       .sets = BitOf(ColumnSet::kWaitParts),
                       .before = base.get(),
                       .cancelled = {}};
  EXPECT_FALSE(WriteColumns(what, source, fd.get()).ok());
}

TEST(ColumnWriterTest, CancellingAndFilesThatCannotBeWrittenAreErrors) {
  testing::MixedTrace trace;
  ColumnsOf what{
      .file = "trace", .key = kKey, .sets = testing::kAllSets, .before = nullptr, .cancelled = [] {
        return true;
      }};
  const util::UniqueFd fd(memfd_create("columns", MFD_CLOEXEC));
  fxt::MemorySource source(trace.bytes());
  EXPECT_FALSE(WriteColumns(what, source, fd.get()).ok());
  what.cancelled = nullptr;
  const util::UniqueFd unwritable(open("/dev/full", O_RDWR | O_CLOEXEC));
  fxt::MemorySource again(trace.bytes());
  EXPECT_FALSE(WriteColumns(what, again, unwritable.get()).ok());
}

}  // namespace
}  // namespace columns
