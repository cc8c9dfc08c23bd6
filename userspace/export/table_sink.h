// SPDX-License-Identifier: BSD-2-Clause
// Receives the rows of tables.
#pragma once

#include <cstdint>

#include "tables/rows/row_batch.h"
#include "util/result.h"

namespace exporting {

// Every table has the column `capture` before its own. After the first error all calls fail.
class TableSink {
 public:
  TableSink() = default;
  TableSink(const TableSink&) = delete;
  TableSink& operator=(const TableSink&) = delete;
  virtual ~TableSink() = default;

  // Rows with all columns. Texts of repeating columns stay valid until Finish().
  virtual util::Status Write(const tables::RowBatch& rows, int64_t capture) = 0;
  // Call after all rows: gives the output its name. Without it, no output remains.
  virtual util::Status Finish() = 0;
};

}  // namespace exporting
