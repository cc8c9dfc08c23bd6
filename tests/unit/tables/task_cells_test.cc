// SPDX-License-Identifier: BSD-2-Clause
#include "tables/task_cells.h"

#include <gtest/gtest.h>

#include <string>

#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "unit/measure/trace_script.h"

namespace tables {
namespace {

class TaskCellsTest : public ::testing::Test {
 protected:
  // The names are those at the end of the trace.
  void Read(measure::testing::TraceScript& trace) {
    fxt::MemorySource source(trace.bytes());
    fxt::Reader reader(source);
    while (reader.Next() == fxt::ReadStatus::kRecord) names_.Note(reader);
  }
  std::string ThreadOf(uint32_t number) const {
    const Cell& cell = cells_.cells(number)[kTaskThread];
    return cell.is_null() ? "NULL" : std::string(cell.view());
  }

  TextPool texts_;
  TaskNames names_{texts_};
  TaskCells cells_{names_};
};

TEST_F(TaskCellsTest, ANumberStandsForWhatAThreadIsCalledThen) {
  measure::testing::TraceScript trace;
  trace.Name(7, "one").Thread(8, "two", 7);
  Read(trace);
  const uint32_t one = cells_.NumberOf(7, std::nullopt);
  const uint32_t two = cells_.NumberOf(8, 7);
  EXPECT_NE(one, TaskCells::kNone);
  EXPECT_NE(one, two);
  EXPECT_EQ(cells_.NumberOf(7, std::nullopt), one);
  EXPECT_EQ(cells_.NumberOf(8, 7), two);
  EXPECT_EQ(ThreadOf(one), "one");
  EXPECT_EQ(cells_.cells(two)[kTaskKoid].integer, 8);
  EXPECT_EQ(cells_.cells(two)[kTaskPid].integer, 7);
  measure::testing::TraceScript renamed;
  renamed.Thread(8, "three", 7);
  Read(renamed);
  const uint32_t three = cells_.NumberOf(8, 7);
  EXPECT_NE(three, two);
  EXPECT_EQ(ThreadOf(two), "two");
  EXPECT_EQ(ThreadOf(three), "three");
  EXPECT_FALSE(cells_.is_full());
}

TEST_F(TaskCellsTest, NoThreadHasNoCells) {
  for (uint8_t cell = 0; cell < kTaskCellCount; ++cell)
    EXPECT_TRUE(cells_.cells(TaskCells::kNone)[cell].is_null());
}

}  // namespace
}  // namespace tables
