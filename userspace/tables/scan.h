// SPDX-License-Identifier: BSD-2-Clause
// One pass over a trace that produces the rows of some tables.
//
//   tables::TextPool texts;
//   tables::Scan scan(file, source, texts);
//   scan.Want(tables::Table::kSlices, columns, filter);
//   while (scan.Advance()) {
//     const tables::RowBatch& rows = *scan.rows(tables::Table::kSlices);
//     for (size_t i = 0; i < rows.size(); ++i) use(rows.row(i));
//   }
//   if (!scan.error().empty()) report(scan.error());
//
// A row is produced when the interval that it describes has ended: the rows of one CPU or one
// thread are in order. Rows of processes, threads, CPUs and the capture come last. Memory does not
// grow with the number of records. Records may be in any order.
//
// A statement over several tables makes several scans at once: their memory for threads and names
// has one shared budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "measure/capture.h"
#include "tables/event_rows.h"
#include "tables/fact_rows.h"
#include "tables/request_rows.h"
#include "tables/rows/batches.h"
#include "tables/scan_faults.h"
#include "tables/stack_rows.h"
#include "tables/task_names.h"

namespace tables {

// Bytes of the tables of all scans of a statement: readers, threads, processes, names.
inline constexpr size_t kMaxTableBytes = size_t{384} << 20;

class Scan {
 public:
  // `file` is its name in the table of captures. `source` and `texts`, which keeps the texts of
  // columns with repeated texts, must outlive the scan. `shared` is that of several scans, and must
  // outlive this; null: only the limits of each.
  Scan(std::string file, fxt::ByteSource& source, TextPool& texts,
       fxt::TableBudget* shared = nullptr);
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  // Before the first Advance(). Bit i of `columns`: column i is wanted.
  void Want(Table table, uint64_t columns, const RowFilter& filter = {});

  // Replaces the rows by the next ones; there may be none yet. False after the last row.
  bool Advance();
  // Valid up to the next Advance(); null for tables without Want().
  const RowBatch* rows(Table table) const { return batches_.of(table); }

  // The cells that numbers of groups kTask refer to. Known once there are rows.
  const TaskCells& tasks() const { return facts_->tasks(); }

  // The id of this capture: a hash of 63 bits over the records up to the first one with a time,
  // equal for the same file under any name, compressed or not. Known once there are rows.
  int64_t capture_id() const { return static_cast<int64_t>(hash_ >> 1); }
  // The error that ended reading early; empty without one.
  std::string error() const { return reader_.error_message(); }
  const fxt::Reader& reader() const { return reader_; }
  // True if rows or texts are missing because there was no room for threads, names or spans.
  bool is_incomplete() const;
  // Texts that were cut because rows with all of them would be many times as large as the file.
  uint64_t cut_texts() const { return batches_.texts().cut(); }
  // All of these, as far as the file was read.
  ScanFaults faults() const;

 private:
  struct Records;

  void Start();
  void Add();
  void NoteFirst();
  void NoteSession(const fxt::Event& event);
  bool IsPast() const;
  void CheckOrder();
  void Finish();
  void AddCapture();
  void AddProcesses();
  void AddThreads();
  void AddCpus();

  std::string file_;
  fxt::TableBudget* shared_;
  fxt::Reader reader_;
  Batches batches_;
  TaskNames names_;
  std::unique_ptr<FactRows> facts_;
  std::unique_ptr<EventRows> events_;
  std::unique_ptr<RequestRows> requests_;  // null if no table needs it
  std::unique_ptr<StackRows> stacks_;      // null if no table needs it
  bool needs_all_ = false;  // reads to the end of the file even if no more rows are selected
  bool needs_events_ = false;
  // No row before the one and behind the other is wanted.
  int64_t from_ = INT64_MAX;
  int64_t until_ = INT64_MIN;
  // Position (bytes) at which all wanted rows seemed to be read. The scan ends some time after it,
  // because one damaged time may be far ahead of the records that follow it.
  std::optional<uint64_t> past_at_;
  bool out_of_order_ = false;  // such records followed
  bool finished_ = false;
  bool identified_ = false;
  uint64_t hash_ = 0xcbf29ce484222325;
  uint64_t first_ = 0;
  uint64_t records_ = 0;
  std::string session_;  // as JSON
  measure::Capture capture_;
};

}  // namespace tables
