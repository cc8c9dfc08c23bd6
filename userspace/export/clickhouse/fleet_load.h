// SPDX-License-Identifier: BSD-2-Clause
// Brings one capture into the tables of a fleet, so that it is there once: rows go in chunks, each
// of which is inserted as a block with a number of its own, whole or not at all; what arrived of a
// load that was broken off is not sent again; and the end of the load names the blocks that are
// seen, each chunk's one, whoever else loads the same capture, and whatever arrives late.
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

// What every row of a capture begins with.
struct CaptureLabels {
  std::string host;
  std::string label;
  double start_time = 0;  // wall clock, seconds since 1970: gives the day
  uint64_t bytes = 0;     // of the file: another size is another load
};

class FleetLoad final : public TableSink {
 public:
  // `tables`: names of those that will come, all of which are replaced at the end.
  FleetLoad(ClickHouse& server, CaptureLabels labels, std::vector<std::string> tables)
      : server_(server), labels_(std::move(labels)), tables_(std::move(tables)) {}

  util::Status Write(const tables::RowBatch& rows, int64_t capture) override;
  // The sums and distributions of its groups.
  util::Status WriteGroups(const measure::Capture& measured, int64_t capture);
  util::Status Finish() override;

  uint64_t rows() const { return rows_; }        // all of them
  uint64_t bytes() const { return bytes_; }      // as RowBinary
  uint64_t resumed() const { return resumed_; }  // chunks that an earlier attempt had brought

 private:
  static constexpr uint64_t kChunkRows = 65536;
  static constexpr size_t kChunkBytes = size_t{8} << 20;
  static constexpr size_t kBlockBytes = sizeof(uint64_t);  // of a block's number

  struct Pending {
    FleetTable table;
    std::string columns;
    fmt::memory_buffer buffer;
    std::vector<uint32_t> row_starts;  // in the buffer
    uint64_t rows = 0;
    uint32_t chunk = 0;
    std::map<uint32_t, uint64_t> there;  // blocks of earlier attempts, by chunk
    std::vector<uint64_t> blocks;        // of the chunks before this one
  };

  util::Status Begin(int64_t capture);
  util::Result<Pending*> PendingOf(std::string_view table, const FleetTable& columns);
  util::Result<std::map<uint32_t, uint64_t>> BlocksThere(std::string_view table);
  void AddCommon(Pending& pending) const;
  util::Status EndRow(Pending& pending);
  util::Status Flush(Pending& pending);
  // The number of the block that it became.
  util::Result<uint64_t> Send(Pending& pending);
  util::Result<bool> IsThere(const Pending& pending, uint64_t block);
  util::Status Note(bool complete);

  ClickHouse& server_;
  CaptureLabels labels_;
  std::vector<std::string> tables_;
  bool begun_ = false;
  int64_t capture_ = 0;
  uint64_t load_ = 0;
  std::string broken_off_;  // loads that this one goes on with, as a list of SQL
  std::map<std::string, Pending, std::less<>> pending_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
  uint64_t resumed_ = 0;
};

}  // namespace exporting
