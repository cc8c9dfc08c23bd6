// SPDX-License-Identifier: BSD-2-Clause
// Reads the rows of a table from its columns: the rows of tables::Scan, in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "columns/column_file.h"
#include "query/column_condition.h"
#include "tables/rows/row_batch.h"
#include "tables/rows/text_pool.h"
#include "util/result.h"

namespace query {

class ColumnScan {
 public:
  // `file` is the name of the trace in the table of captures. Texts of columns with repeated texts
  // are kept in `texts`, which must outlive this.
  ColumnScan(std::shared_ptr<const columns::ColumnFile> from, tables::Table table, uint64_t columns,
             const tables::RowFilter& filter, std::vector<ColumnCondition> conditions,
             std::string file, tables::TextPool& texts);
  ColumnScan(const ColumnScan&) = delete;
  ColumnScan& operator=(const ColumnScan&) = delete;

  // Replaces the rows by the next ones. False after the last row.
  util::Result<bool> Advance();
  // Valid up to the next Advance(). All rows that meet the filter and the conditions, and possibly
  // others.
  const tables::RowBatch& rows() const { return batch_; }
  // The number in the table of a row of rows().
  uint64_t RowOf(size_t row) const { return block_begin_ + chosen_[filled_ + row]; }
  // Faults of the trace, and texts that this scan cut.
  tables::ScanFaults faults() const {
    tables::ScanFaults faults = from_->faults();
    faults.cut_texts += text_budget_.cut();
    return faults;
  }

 private:
  bool IsOutside(size_t block) const;
  util::Result<bool> NextBlock();
  bool ReadColumn(uint8_t column, columns::ColumnValues& values);
  void Fill(std::span<const uint32_t> rows);

  std::shared_ptr<const columns::ColumnFile> from_;
  std::string file_;
  tables::TextPool& texts_;
  std::vector<ColumnCondition> conditions_;  // of columns of the batch
  tables::TextBudget text_budget_;
  tables::RowBatch batch_;
  size_t next_block_ = 0;
  uint64_t next_begin_ = 0;                    // rows before that block
  uint64_t block_begin_ = 0;                   // rows before the block of `chosen_`
  size_t filled_ = 0;                          // the row of `chosen_` that the batch begins with
  std::vector<uint32_t> chosen_;               // rows of the block
  size_t next_row_ = 0;                        // of these
  std::vector<columns::ColumnValues> values_;  // of each column of the batch
  // For columns with repeated texts: the texts of the block; null if there is no room.
  std::vector<std::vector<const std::string*>> kept_texts_;
};

}  // namespace query
