// SPDX-License-Identifier: BSD-2-Clause
// Rows of a table, as text.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "fxt/byte_source.h"
#include "tables/scan.h"

namespace tables::testing {

inline std::string TextOf(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      return "NULL";
    case Cell::Kind::kInteger:
      return fmt::to_string(cell.integer);
    case Cell::Kind::kReal:
      return fmt::to_string(cell.real);
    case Cell::Kind::kText:
      return std::string(cell.view());
  }
  return "?";
}

// "1 2 name", of the columns wanted (bit i: column i), in the order of the table.
inline std::vector<std::string> RowsOf(std::span<const std::byte> bytes, Table table,
                                       uint64_t wanted, const RowFilter& filter = {}) {
  fxt::MemorySource source(bytes);
  TextPool texts;
  Scan scan("trace.fxt", source, texts);
  scan.Want(table, wanted, filter);
  std::vector<std::string> rows;
  while (scan.Advance()) {
    const RowBatch& batch = *scan.rows(table);
    for (size_t i = 0; i < batch.size(); ++i) {
      std::string& row = rows.emplace_back();
      for (size_t cell = 0; cell < batch.columns().size(); ++cell) {
        row += (cell == 0 ? "" : " ") + TextOf(batch.row(i)[cell]);
      }
    }
  }
  return rows;
}

inline std::vector<std::string> RowsOf(std::span<const std::byte> bytes, Table table,
                                       std::initializer_list<uint8_t> columns,
                                       const RowFilter& filter = {}) {
  uint64_t wanted = 0;
  for (const uint8_t column : columns) wanted |= uint64_t{1} << column;
  return RowsOf(bytes, table, wanted, filter);
}

}  // namespace tables::testing
