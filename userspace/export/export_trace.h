// SPDX-License-Identifier: BSD-2-Clause
// Writes a trace to a sink of tables in one pass.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "export/table_sink.h"
#include "fxt/byte_source.h"
#include "tables/rows/schema.h"
#include "tables/rows/text_pool.h"
#include "tables/scan.h"

namespace exporting {

struct TraceExport {
  std::string file;  // as in the table of captures
  std::vector<tables::Table> tables;
  // Called with the capture's number before its first row; an error ends the export. May be null.
  std::function<util::Status(int64_t)> on_begin;
  // Called with the bytes of the stream read so far; may be null.
  std::function<void(uint64_t)> progress;
  // Called at the end; may be null.
  std::function<void(const tables::Scan&)> on_end;
};

struct Exported {
  int64_t capture = 0;  // its number (tables/scan.h)
  uint64_t rows = 0;
  // Why reading ended early; empty if it did not. The rows before that are written.
  std::string read_error;
};

// Writes all rows of the trace. `texts` must outlive the sink. Returns errors of the sink.
util::Result<Exported> ExportTrace(const TraceExport& what, fxt::ByteSource& source,
                                   tables::TextPool& texts, TableSink& sink);

}  // namespace exporting
