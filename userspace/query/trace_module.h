// SPDX-License-Identifier: BSD-2-Clause
// The tables of a trace as virtual tables of SQLite:
//
//   CREATE VIRTUAL TABLE slices USING fxt('trace.fxt');
//   CREATE VIRTUAL TABLE slices_before USING fxt('before.fxt', slices);
//
// The name of the table says which of the tables it is (docs/tables.md), if no second argument
// does. Nothing is copied: each use reads the file.
#pragma once

#include <cstdint>
#include <functional>

#include "tables/scan.h"

struct sqlite3;

namespace query {

struct TraceModuleOptions {
  // Called at the end of a pass over a file, which knows the faults of the file. May be null.
  std::function<void(const tables::Scan&)> on_end;
  // Called from time to time while a file is read; true ends the statement with an error. May be
  // null.
  std::function<bool()> cancelled;
};

// Registers the module "fxt", and the aggregate quantile(value, q): the value below or at which the
// fraction q of them lies, to 0.8%, as `fxt report` has it. An SQLite result code.
int RegisterTraceModule(sqlite3* database, TraceModuleOptions options);

}  // namespace query
