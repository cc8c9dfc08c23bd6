// SPDX-License-Identifier: BSD-2-Clause
// Takes the rows of tables and keeps them in some form.
#pragma once

#include <cstdint>

#include "tables/rows/row_batch.h"
#include "util/result.h"

namespace exporting {

// Every table has the column `capture` in front of its own. The first error is for good.
class TableSink {
 public:
  TableSink() = default;
  TableSink(const TableSink&) = delete;
  TableSink& operator=(const TableSink&) = delete;
  virtual ~TableSink() = default;

  // Rows with all of their columns. Texts of columns that repeat stay where they are up to
  // Finish().
  virtual util::Status Write(const tables::RowBatch& rows, int64_t capture) = 0;
  // After all rows: what was made has its name from now on. Without it nothing is left behind.
  virtual util::Status Finish() = 0;
};

}  // namespace exporting
