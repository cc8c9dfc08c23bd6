// SPDX-License-Identifier: BSD-2-Clause
// Prints the results of a statement.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tables/rows/cell.h"
#include "text/text_writer.h"

namespace query {

enum class Format : uint8_t {
  kTable,     // columns below their names, for people
  kCsv,       // RFC 4180, with names in the first line; NULL is empty
  kCsvSafe,   // the same with an apostrophe before texts that spreadsheets evaluate as formulas
  kJson,      // an array of objects
  kMarkdown,  // a table
};

// Names and texts may be any bytes; they are escaped for terminals, in JSON by its own escapes.
// Rows are written as they come: the columns of a table are as wide as those of its first rows, and
// longer ones are not cut.
class ResultWriter {
 public:
  ResultWriter() = default;
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;
  virtual ~ResultWriter() = default;

  // Once for each statement that has columns, then its rows, then the end.
  virtual void Begin(std::span<const std::string> names) = 0;
  virtual void Row(std::span<const tables::Cell> row) = 0;
  virtual void End() = 0;
};

// `out` must outlive it.
std::unique_ptr<ResultWriter> MakeResultWriter(Format format, text::TextWriter& out);

}  // namespace query
