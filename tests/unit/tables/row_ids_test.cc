// SPDX-License-Identifier: BSD-2-Clause
// SQLite distinguishes rows of two passes over a file by their ids alone, as for `cpu = 1 OR tid =
// 20`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

using measure::testing::TraceScript;

std::map<uint64_t, std::string> RowsById(std::span<const std::byte> bytes, Table table,
                                         const RowFilter& filter) {
  fxt::MemorySource source(bytes);
  TextPool texts;
  Scan scan("trace.fxt", source, texts);
  scan.Want(table, kAllColumns, filter);
  std::map<uint64_t, std::string> rows;
  while (scan.Advance()) {
    const RowBatch& batch = *scan.rows(table);
    for (size_t row = 0; row < batch.size(); ++row) {
      std::string text;
      for (size_t cell = 0; cell < batch.columns().size(); ++cell) {
        text += testing::TextOf(batch.row(row)[cell]) + " ";
      }
      EXPECT_TRUE(rows.emplace(batch.IdOf(row), text).second) << text;
    }
  }
  return rows;
}

TEST(RowIdsTest, AreTheSameWhateverIsChosen) {
  for (const auto references : {TraceScript::kInline, TraceScript::kIndexed}) {
    TraceScript script(references);
    script.Session(50).Name(10, "app").Name(20, "other");
    for (uint64_t time = 100; time < 20'000; time += 1000) {
      const auto cpu = static_cast<uint32_t>(time / 1000 % 3);
      script.Switch(time, cpu, 0, "S", 10).Begin(time + 10, 10, "a", "outer");
      script.Switch(time + 200, cpu, 10, "D", 20).Loss(time + 210, static_cast<int32_t>(cpu), 7);
      script.End(time + 220, 10, "a", "outer").Fork(time + 230, 20, 30);
      script.Wake(time + 300, 10, 20, 1).Switch(time + 400, cpu, 20, "R+", 10);
      script.Switch(time + 500, cpu, 10, "S", 0).Wake(time + 600, 10).Wake(time + 700, 20, 10, 2);
    }
    for (const TableInfo& info : Tables()) {
      const auto all = RowsById(script.bytes(), info.table, {});
      size_t chosen = 0;
      RowFilter filters[5];
      filters[0].cpu = 1;
      filters[1].tid = 10;
      filters[2].tid = 20;
      filters[3].from = 3000;
      filters[4].from = 5000;
      filters[4].to = 9300;
      for (const RowFilter& filter : filters) {
        for (const auto& [id, row] : RowsById(script.bytes(), info.table, filter)) {
          const auto same = all.find(id);
          ASSERT_TRUE(same != all.end() && same->second == row) << info.name << ": " << row;
          ++chosen;
        }
      }
      EXPECT_EQ(chosen != 0, !all.empty()) << info.name;
    }
  }
}

}  // namespace
}  // namespace tables
