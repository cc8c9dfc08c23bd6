// SPDX-License-Identifier: BSD-2-Clause
// The entry point that makes the virtual tables a loadable extension of SQLite. Empty in programs
// that link them.
#ifdef FXT_SQLITE_EXTENSION

#include <sqlite3ext.h>

#include "query/trace_module.h"

extern "C" {

SQLITE_EXTENSION_INIT1

// The name follows from that of the file, fxt_sqlite.so.
__attribute__((visibility("default"))) int sqlite3_fxtsqlite_init(sqlite3* database, char** message,
                                                                  const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  static_cast<void>(message);
  return query::RegisterTraceModule(database, {});
}
}

#endif
