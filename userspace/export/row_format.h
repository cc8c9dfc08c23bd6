// SPDX-License-Identifier: BSD-2-Clause
// Encodes rows for other programs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "tables/rows/row_batch.h"

namespace exporting {

enum class RowFormat : uint8_t {
  kCsv,  // RFC 4180 with names in the first line; NULL is empty, an empty text is ""
  // The same with an apostrophe before texts that a spreadsheet would evaluate as formulas.
  kCsvSafe,
  kTsv,  // names in the first line; \N is NULL, and \t, \n, \\ are escaped: TabSeparatedWithNames
  // RowBinary of ClickHouse: Int64 and Float64 little-endian, String with its length as LEB128
  // before it, a byte before what is Nullable that is 1 for NULL. No names.
  kRowBinary,
};

// "csv", "tsv", "rowbinary": endings of files too.
std::string_view NameOf(RowFormat format);

// The line of names; empty for formats without one.
void AppendHeader(fmt::memory_buffer& out, RowFormat format, const tables::TableInfo& table);
// A row with all columns of its table.
void AppendRow(fmt::memory_buffer& out, RowFormat format, const tables::TableInfo& table,
               int64_t capture, const tables::Cell* row);

// One value of a row as RowBinary.
void AppendBinary(fmt::memory_buffer& out, const tables::Column& column, const tables::Cell& cell);

}  // namespace exporting
