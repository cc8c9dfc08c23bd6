// SPDX-License-Identifier: BSD-2-Clause
// Iterates over the rows of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "columns/column_cache.h"
#include "query/column_scan.h"
#include "query/kept_rows.h"
#include "query/row_groups.h"
#include "query/scan_plan.h"
#include "query/trace_file.h"
#include "query/window_query.h"
#include "tables/scan.h"
#include "util/result.h"

namespace query {

// A scan with the values of its conditions.
struct ScanRequest {
  tables::RowFilter filter;
  tables::RowFilter constant;  // of the conditions that do not vary
  tables::Cell key;            // the value of ScanPlan::key_condition
  // Further ones, for scans of the cache.
  std::vector<ColumnCondition> conditions;
};

// The kept rows of a table, by their plans. Rows of a few statements are kept.
class KeptScans {
 public:
  static constexpr size_t kMost = 4;

  struct Entry {
    std::string plan;
    tables::RowFilter constant;
    uint64_t begins = 0;  // of cursors
    bool has_no_room = false;
    std::shared_ptr<const KeptRows> rows = nullptr;
  };

  KeptScans(uint64_t staying, KeptBudget& budget) : staying_(staying), budget_(budget) {}

  // The entry for these, which may replace the oldest one. Valid until the next call.
  Entry& Find(const std::string& plan, const tables::RowFilter& constant);
  uint64_t staying() const { return staying_; }
  KeptBudget& budget() { return budget_; }

 private:
  uint64_t staying_;
  KeptBudget& budget_;
  std::deque<Entry> entries_;  // the oldest first
};

class TableCursor {
 public:
  // All of these must outlive it. `cache` and `windows` may be null, as may `cancelled`; true is an
  // error.
  TableCursor(const TraceFile& file, tables::Table table, tables::TextPool& texts,
              fxt::TableBudget& shared, KeptScans& kept, columns::ColumnCache* cache,
              const StatementWindows* windows, const std::function<bool()>& cancelled)
      : file_(file),
        table_(table),
        texts_(texts),
        shared_(shared),
        kept_scans_(kept),
        cache_(cache),
        windows_(windows),
        cancelled_(cancelled) {}
  TableCursor(const TableCursor&) = delete;
  TableCursor& operator=(const TableCursor&) = delete;

  // Moves to the first row. The first scan reads the file or the cache. If there are further scans,
  // one of them keeps all rows, and the others find their rows there.
  util::Status Begin(const ScanPlan& plan, const ScanRequest& request);
  // Moves to the next row. False if reading failed, see error().
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
  // A column of the row; NULL if the plan does not have it.
  const tables::Cell& column(uint8_t column) {
    if (column >= InfoOf(table_).columns.size())
      return Window(column - InfoOf(table_).columns.size());
    const uint8_t slot = batch_->SlotOf(column);
    return slot == tables::RowBatch::kNotWanted ? null_ : row_[slot];
  }
  // The id of the row in the table, the same in any pass without groups.
  int64_t id() const {
    if (kept_) return kept_id_;
    return 1 + (groups_ ? grouped_ : static_cast<int64_t>(batch_->IdOf(batch_->size() - left_)));
  }
  // Faults of the trace; empty if the rows are kept in memory.
  std::optional<tables::ScanFaults> faults() const;

 private:
  util::Status Scan(const ScanPlan& plan, const tables::RowFilter& filter,
                    const std::vector<ColumnCondition>& conditions);
  // The rows of all scans that differ only in varying conditions; null if there is no room.
  util::Result<std::shared_ptr<const KeptRows>> Keep(const ScanPlan& plan,
                                                     const tables::RowFilter& constant);
  // Further rows of the file; false at its end.
  util::Result<bool> Advance();
  util::Status Group(const ScanPlan& plan);
  // False if it is known before reading that not all rows can be kept.
  bool FindsRoom(const ScanPlan& plan) const;
  bool IsText(const ScanPlan& plan) const;  // its key
  util::Status CheckEnd() const;            // fails if reading ended early
  util::Status Fetch();
  // Sets `cell` to the window value of a row of the batch; NULL if there is no such window.
  void PutWindow(size_t number, size_t row, tables::Cell& cell) const;
  // The window value of the current row.
  const tables::Cell& Window(size_t number);

  const TraceFile& file_;
  tables::Table table_;
  tables::TextPool& texts_;
  fxt::TableBudget& shared_;
  KeptScans& kept_scans_;
  columns::ColumnCache* cache_;
  const StatementWindows* windows_;
  const std::function<bool()>& cancelled_;
  uint64_t begins_ = 0;
  std::shared_ptr<const KeptRows> kept_;
  KeptRows::Order kept_order_ = KeptRows::Order::kScan;
  KeptRows::Range kept_range_;
  int64_t kept_id_ = 0;
  std::vector<tables::Cell> kept_row_;
  std::unique_ptr<fxt::ByteSource> source_;
  std::unique_ptr<tables::Scan> scan_;       // of the file
  std::unique_ptr<ColumnScan> column_scan_;  // or of the cache
  const tables::RowBatch* batch_ = nullptr;  // of the scan, or the shape of kept rows
  std::unique_ptr<RowGroups> groups_;
  const tables::Cell* row_ = nullptr;
  size_t left_ = 0;  // remaining rows, with the current one
  size_t width_ = 0;
  util::Error error_;
  int64_t grouped_ = 0;  // rows of groups_ before this one
  tables::Cell null_;
  tables::Cell window_;
  uint64_t windows_of_rows_ = 0;  // bits of those that rows of groups_ have
};

}  // namespace query
