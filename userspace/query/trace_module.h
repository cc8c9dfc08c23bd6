// SPDX-License-Identifier: BSD-2-Clause
// The tables of a trace as virtual tables of SQLite:
//
//   CREATE VIRTUAL TABLE slices USING fxt('trace.fxt');
//   CREATE VIRTUAL TABLE slices_before USING fxt('before.fxt', slices);
//
// The second argument names the table (docs/tables.md); the default is the name of the virtual
// table. Nothing is copied: each use reads the file, or the columns that were made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "columns/column_cache.h"
#include "query/window_query.h"
#include "tables/scan_faults.h"

struct sqlite3;

namespace query {

struct TraceModuleOptions {
  // Called at the end of a pass over a file, which knows the faults of the file. May be null.
  std::function<void(const tables::ScanFaults&)> on_end;
  // The source of the rows of all tables; null: each use of a table reads the file. The module must
  // be used with the file of this cache only.
  std::shared_ptr<columns::ColumnCache> cache;
  // The values of the hidden columns "#w0", "#w1", ...; null: tables have none. With a cache only.
  std::shared_ptr<const StatementWindows> windows;
  // Called periodically while a file is read; true cancels the statement with an error. May be
  // null.
  std::function<bool()> cancelled;
};

// Registers the module "fxt", and the aggregates of aggregates.h. An SQLite result code.
int RegisterTraceModule(sqlite3* database, TraceModuleOptions options);

}  // namespace query
