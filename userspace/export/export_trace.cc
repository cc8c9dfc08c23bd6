// SPDX-License-Identifier: BSD-2-Clause
#include "export/export_trace.h"

#include <utility>

#include "tables/scan.h"

namespace exporting {

util::Result<Exported> ExportTrace(const TraceExport& what, fxt::ByteSource& source,
                                   tables::TextPool& texts, TableSink& sink) {
  fxt::TableBudget shared{.limit = tables::kMaxTableBytes};
  tables::Scan scan(what.file, source, texts, &shared);
  for (const tables::Table table : what.tables) scan.Want(table, tables::kAllColumns);
  Exported exported;
  bool begun = false;
  while (scan.Advance()) {
    for (const tables::Table table : what.tables) {
      const tables::RowBatch& rows = *scan.rows(table);
      if (rows.size() == 0) continue;
      if (!std::exchange(begun, true) && what.on_begin) {
        if (auto status = what.on_begin(scan.capture_id()); !status) return status.TakeError();
      }
      exported.rows += rows.size();
      if (auto status = sink.Write(rows, scan.capture_id()); !status) return status.TakeError();
    }
    if (what.progress) what.progress(scan.reader().position());
  }
  exported.capture = scan.capture_id();
  exported.read_error = scan.error();
  if (what.on_end) what.on_end(scan);
  return exported;
}

}  // namespace exporting
