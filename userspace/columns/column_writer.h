// SPDX-License-Identifier: BSD-2-Clause
// Writes tables of a trace as columns (column_file.h).
#pragma once

#include <functional>
#include <string>

#include "columns/column_file.h"
#include "columns/column_sets.h"
#include "fxt/byte_source.h"
#include "util/result.h"

namespace columns {

struct ColumnsOf {
  std::string file;  // for messages
  TraceKey key;
  // The columns to write: bits of ColumnSets, besides those of `before`.
  unsigned sets = 0;
  // The file so far, whose blocks become those of the new one; may be null.
  const ColumnFile* before = nullptr;
  // Called periodically; true cancels with an error. May be null.
  std::function<bool()> cancelled;
};

// Reads `source` once, into the empty file `fd`. Errors: the file cannot be written, or would be
// many times as large as the trace. Faults of the trace are no errors: the columns have them.
util::Status WriteColumns(const ColumnsOf& what, fxt::ByteSource& source, int fd);

}  // namespace columns
