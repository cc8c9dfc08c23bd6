// SPDX-License-Identifier: BSD-2-Clause
#include "export/row_format.h"

#include <cmath>
#include <iterator>

#include "tables/rows/csv_text.h"
#include "util/format_library.h"

namespace exporting {
namespace {

using tables::Cell;
using tables::Column;

void AppendInteger(fmt::memory_buffer& out, int64_t value) {
  const fmt::format_int text(value);
  out.append(text.data(), text.data() + text.size());
}

void AppendReal(fmt::memory_buffer& out, double value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

bool IsCsv(RowFormat format) { return format == RowFormat::kCsv || format == RowFormat::kCsvSafe; }

void AppendTsvText(fmt::memory_buffer& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        out.append(std::string_view("\\t"));
        break;
      case '\n':
        out.append(std::string_view("\\n"));
        break;
      case '\\':
        out.append(std::string_view("\\\\"));
        break;
      default:
        out.push_back(c);
    }
  }
}

void AppendWord(fmt::memory_buffer& out, uint64_t word) {
  for (unsigned shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(word >> shift));
}

void AppendText(fmt::memory_buffer& out, RowFormat format, const Cell& cell) {
  const bool csv = IsCsv(format);
  switch (cell.kind) {
    case Cell::Kind::kNull:
      if (!csv) out.append(std::string_view("\\N"));
      return;
    case Cell::Kind::kInteger:
      return AppendInteger(out, cell.integer);
    case Cell::Kind::kReal:
      return AppendReal(out, cell.real);
    case Cell::Kind::kText:
      return csv ? tables::AppendCsvText(out, cell.view(), format == RowFormat::kCsvSafe)
                 : AppendTsvText(out, cell.view());
  }
}

}  // namespace

void AppendBinary(fmt::memory_buffer& out, const Column& column, const Cell& cell) {
  if (column.nullable) out.push_back(cell.is_null() ? '\1' : '\0');
  if (cell.is_null() && column.nullable) return;
  switch (column.type) {
    case tables::Type::kInteger:
    case tables::Type::kReal:
      return AppendWord(out, cell.is_null() ? 0 : static_cast<uint64_t>(cell.integer));
    case tables::Type::kText: {
      const std::string_view text = cell.is_null() ? std::string_view() : cell.view();
      uint64_t size = text.size();
      for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
      out.push_back(static_cast<char>(size));
      out.append(text);
    }
  }
}

std::string_view NameOf(RowFormat format) {
  switch (format) {
    case RowFormat::kCsv:
    case RowFormat::kCsvSafe:
      return "csv";
    case RowFormat::kTsv:
      return "tsv";
    case RowFormat::kRowBinary:
      break;
  }
  return "rowbinary";
}

void AppendHeader(fmt::memory_buffer& out, RowFormat format, const tables::TableInfo& table) {
  if (format == RowFormat::kRowBinary) return;
  const char separator = IsCsv(format) ? ',' : '\t';
  // The table of captures has this as its own first column.
  if (table.table != tables::Table::kCaptures) out.append(std::string_view("capture"));
  for (const Column& column : table.columns) {
    if (out.size() != 0) out.push_back(separator);
    out.append(column.name);
  }
  out.push_back('\n');
}

void AppendRow(fmt::memory_buffer& out, RowFormat format, const tables::TableInfo& table,
               int64_t capture, const tables::Cell* row) {
  const bool has_own = table.table == tables::Table::kCaptures;
  if (format == RowFormat::kRowBinary) {
    if (!has_own) AppendWord(out, static_cast<uint64_t>(capture));
    for (size_t i = 0; i < table.columns.size(); ++i) AppendBinary(out, table.columns[i], row[i]);
    return;
  }
  const char separator = IsCsv(format) ? ',' : '\t';
  if (!has_own) AppendInteger(out, capture);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i != 0 || !has_own) out.push_back(separator);
    AppendText(out, format, row[i]);
  }
  out.push_back('\n');
}

}  // namespace exporting
