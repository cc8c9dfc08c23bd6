// SPDX-License-Identifier: BSD-2-Clause
// Loads one capture into the tables of a fleet exactly once.
//
// Rows go in chunks. Each chunk is inserted atomically as a block with a unique number. A load that
// resumes an interrupted one does not send its chunks again. The last row of a load lists the valid
// block of each chunk, so that concurrent loads of the same capture and late blocks have no effect.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "export/clickhouse/database.h"
#include "export/clickhouse/fleet_schema.h"
#include "export/table_sink.h"
#include "measure/capture.h"

namespace exporting {

// Values that begin every row of a capture.
struct CaptureLabels {
  std::string host;
  std::string label;
  double start_time = 0;  // wall clock, seconds since 1970
  uint64_t bytes = 0;     // size of the file; loads of another size are not resumed
};

class FleetLoad final : public TableSink {
 public:
  // `tables` names the tables that Finish() replaces.
  FleetLoad(ClickHouse& server, CaptureLabels labels, std::vector<std::string> tables)
      : server_(server), labels_(std::move(labels)), tables_(std::move(tables)) {}

  util::Status Write(const tables::RowBatch& rows, int64_t capture) override;
  // Writes the totals and histograms of the groups and requests, and the parts of requests.
  util::Status WriteGroups(const measure::Capture& measured, int64_t capture);
  util::Status Finish() override;

  uint64_t rows() const { return rows_; }        // rows written, resumed ones included
  uint64_t bytes() const { return bytes_; }      // bytes written, as RowBinary
  uint64_t resumed() const { return resumed_; }  // chunks that an earlier load inserted

 private:
  static constexpr uint64_t kChunkRows = 65536;
  static constexpr size_t kChunkBytes = size_t{8} << 20;
  static constexpr size_t kBlockBytes = sizeof(uint64_t);  // of a block number

  struct Pending {
    FleetTable table;
    std::string columns;
    fmt::memory_buffer buffer;
    std::vector<uint32_t> row_starts;  // offsets in the buffer
    uint64_t rows = 0;
    uint32_t chunk = 0;
    std::map<uint32_t, uint64_t> inserted;  // blocks of interrupted loads, by chunk
    std::vector<uint64_t> blocks;           // of the earlier chunks
  };

  util::Status Begin(int64_t capture);
  util::Result<Pending*> PendingOf(std::string_view table, const FleetTable& columns);
  util::Result<std::map<uint32_t, uint64_t>> InsertedBlocks(std::string_view table);
  void AddCommon(Pending& pending) const;
  util::Status EndRow(Pending& pending);
  util::Status Flush(Pending& pending);
  // Inserts the chunk and returns its block number.
  util::Result<uint64_t> Send(Pending& pending);
  util::Status WriteRequestParts(const measure::Capture& measured);
  util::Result<bool> IsInserted(const Pending& pending, uint64_t block);
  util::Status WriteLoadRows(bool complete);

  ClickHouse& server_;
  CaptureLabels labels_;
  std::vector<std::string> tables_;
  bool begun_ = false;
  int64_t capture_ = 0;
  uint64_t load_ = 0;
  std::string interrupted_;  // interrupted loads that this one resumes, as an SQL list
  std::map<std::string, Pending, std::less<>> pending_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
  uint64_t resumed_ = 0;
};

}  // namespace exporting
