// SPDX-License-Identifier: BSD-2-Clause
// Goes through the rows of a table, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "query/row_groups.h"
#include "query/scan_plan.h"
#include "query/trace_file.h"
#include "tables/scan.h"
#include "util/result.h"

namespace query {

class TableCursor {
 public:
  // All of these must outlive it. `cancelled` may be null; true is an error.
  TableCursor(const TraceFile& file, tables::Table table, tables::TextPool& texts,
              fxt::TableBudget& shared, const std::function<bool()>& cancelled)
      : file_(file), table_(table), texts_(texts), shared_(shared), cancelled_(cancelled) {}
  TableCursor(const TableCursor&) = delete;
  TableCursor& operator=(const TableCursor&) = delete;

  // To the first row.
  util::Status Begin(const ScanPlan& plan, const tables::RowFilter& filter);
  // To the next one. False when reading failed, see error().
  bool Next() {
    if (left_ > 1) [[likely]] {
      --left_;
      row_ += width_;
      return true;
    }
    return Fetch().ok();
  }
  const util::Error& error() const { return error_; }
  bool at_end() const { return left_ == 0; }
  // Of the row; a column that the plan has not is NULL.
  const tables::Cell& column(uint8_t column) const {
    const uint8_t slot = batch_->SlotOf(column);
    return slot == tables::RowBatch::kNotWanted ? null_ : row_[slot];
  }
  // Identifies the row among all others of the table, in any pass that does not put rows together.
  int64_t id() const {
    return 1 + (groups_ ? grouped_ : static_cast<int64_t>(batch_->IdOf(batch_->size() - left_)));
  }
  const tables::Scan& scan() const { return *scan_; }

 private:
  // Further rows of the file; false at its end.
  util::Result<bool> Advance();
  util::Status Group(const ScanPlan& plan);
  util::Status Fetch();

  const TraceFile& file_;
  tables::Table table_;
  tables::TextPool& texts_;
  fxt::TableBudget& shared_;
  const std::function<bool()>& cancelled_;
  std::unique_ptr<fxt::ByteSource> source_;
  std::unique_ptr<tables::Scan> scan_;
  const tables::RowBatch* batch_ = nullptr;
  std::unique_ptr<RowGroups> groups_;
  const tables::Cell* row_ = nullptr;
  size_t left_ = 0;  // rows that are there, the one it is at included
  size_t width_ = 0;
  util::Error error_;
  int64_t grouped_ = 0;  // rows of groups_ before this one
  tables::Cell null_;
};

}  // namespace query
