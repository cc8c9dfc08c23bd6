// SPDX-License-Identifier: BSD-2-Clause
// From a trace to a sink of tables, in one pass.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "export/table_sink.h"
#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "tables/rows/schema.h"
#include "tables/rows/text_pool.h"

namespace exporting {

struct TraceExport {
  std::string file;  // as the table of captures has it
  std::vector<tables::Table> tables;
  // Told the capture's number before the first row of it is written; an error ends it. May be null.
  std::function<util::Status(int64_t)> on_begin;
  // Asked with the bytes of the stream that are done; may be null.
  std::function<void(uint64_t)> progress;
  // Told of what was read, at the end; may be null.
  std::function<void(const fxt::Reader&)> on_end;
};

struct Exported {
  int64_t capture = 0;  // its number (tables/scan.h)
  uint64_t rows = 0;
  // Why reading stopped before the end; empty if it did not. What was before that is written.
  std::string read_error;
};

// Writes all rows of the trace. `texts` must outlive the sink. Errors: those of the sink.
util::Result<Exported> ExportTrace(const TraceExport& what, fxt::ByteSource& source,
                                   tables::TextPool& texts, TableSink& sink);

}  // namespace exporting
