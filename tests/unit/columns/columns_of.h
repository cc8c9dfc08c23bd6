// SPDX-License-Identifier: BSD-2-Clause
// A trace with something in every kind of column, and its rows as text.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "columns/column_file.h"
#include "columns/column_sets.h"
#include "columns/column_writer.h"
#include "fxt/byte_source.h"
#include "tables/scan.h"
#include "unit/measure/trace_script.h"

namespace columns::testing {

inline constexpr TraceKey kKey{.bytes = 7, .hash = {.low = 1, .high = 2}};
inline constexpr unsigned kAllSets = (1U << kColumnSets) - 1;

using TextRows = std::vector<std::vector<std::string>>;

// Threads that take turns, wake one another, sleep, are throttled, change their names, and are
// lost.
struct MixedTrace : measure::testing::TraceScript {
  explicit MixedTrace(uint64_t end = 30'000) { Fill(*this, end); }
  static void Fill(TraceScript& trace, uint64_t end);
};
inline void MixedTrace::Fill(measure::testing::TraceScript& trace, uint64_t end) {
  trace.Name(7, "one").Name(8, "two").Thread(9, "three", 8).Session(90).Switch(100, 0, 0, "S", 7);
  uint64_t round = 0;
  for (uint64_t time = 110; time < end; time += 100, ++round) {
    const char* const state = round % 3 == 0 ? "D" : "S";
    trace.Wake(time, 8, 7).Switch(time + 10, 0, 7, "R+", 8).Wake(time + 12, 9, 0, 1);
    trace.Switch(time + 14, 1, round == 0 ? 0 : 10, round == 0 ? "R" : state, 9);
    if (round % 5 == 2) trace.Throttled(time + 18, 7, time + 11, time + 17, "/limited");
    trace.Begin(time + 15, 8, "app", "request").End(time + 19, 8, "app", "request");
    trace.Switch(time + 20, 0, 8, state, 7).Switch(time + 25, 1, 9, state, 10);
    if (round % 20 == 7) trace.Thread(9, "three " + std::to_string(round), 8);
    if (round % 50 == 31) trace.Loss(time + 30, 0, 5).Switch(time + 40, 0, 7, "R", 7);
  }
}

inline std::string TextOf(const tables::Cell& cell) {
  switch (cell.kind) {
    case tables::Cell::Kind::kNull:
      return "NULL";
    case tables::Cell::Kind::kInteger:
      return std::to_string(cell.integer);
    case tables::Cell::Kind::kReal:
      return std::to_string(cell.real);
    case tables::Cell::Kind::kText:
      return "'" + std::string(cell.view()) + "'";
  }
  return "";
}

// The rows of a scan without columns.
inline TextRows RowsOfScan(std::span<const std::byte> trace, tables::Table table) {
  fxt::MemorySource source(trace);
  tables::TextPool texts;
  tables::Scan scan("trace", source, texts);
  scan.Want(table, tables::kAllColumns);
  TextRows made;
  while (scan.Advance()) {
    const tables::RowBatch& batch = *scan.rows(table);
    for (size_t row = 0; row < batch.size(); ++row) {
      auto& cells = made.emplace_back();
      for (size_t i = 0; i < batch.columns().size(); ++i)
        cells.push_back(TextOf(batch.row(row)[i]));
    }
  }
  std::sort(made.begin(), made.end());
  return made;
}

// The columns of a trace.
inline std::unique_ptr<ColumnFile> FileOf(std::span<const std::byte> trace,
                                          unsigned sets = kAllSets,
                                          const ColumnFile* before = nullptr) {
  fxt::MemorySource source(trace);
  util::UniqueFd fd(memfd_create("columns", MFD_CLOEXEC));
  const ColumnsOf what{
      .file = "trace", .key = kKey, .sets = sets, .before = before, .cancelled = {}};
  EXPECT_TRUE(WriteColumns(what, source, fd.get()).ok());
  auto file = ColumnFile::Open(std::move(fd), kKey);
  EXPECT_TRUE(file.ok());
  return std::move(*file);
}

inline TextRows RowsOfFile(const ColumnFile& file, tables::Table table) {
  TextRows made;
  const size_t columns = tables::InfoOf(table).columns.size();
  for (size_t block = 0; block < file.table(table).blocks(); ++block) {
    const size_t first = made.size();
    made.resize(first + file.table(table).block_rows[block]);
    for (uint8_t column = 0; column < columns; ++column) {
      ColumnValues values;
      EXPECT_TRUE(file.Read(table, block, column, values));
      for (size_t row = 0; row < values.rows; ++row) {
        tables::Cell cell;
        cell.kind = values.KindOf(row);
        if (cell.kind == tables::Cell::Kind::kText) {
          cell.Set(values.texts[static_cast<size_t>(values.values[row])]);
        } else if (cell.kind != tables::Cell::Kind::kNull) {
          cell.integer = values.values[row];
        }
        made[first + row].push_back(TextOf(cell));
      }
    }
  }
  std::sort(made.begin(), made.end());
  return made;
}

}  // namespace columns::testing
