// SPDX-License-Identifier: BSD-2-Clause
// The ClickHouse tables of a fleet: those of fxt query, and totals and histograms, for captures of
// many hosts.
//
// NAME_rows has the inserted rows, each with its block (one insertion) and load (one attempt to
// load a capture). loads_rows lists the blocks of each table for each complete load. NAME is a view
// of the blocks of the newest complete load of each capture. So each capture appears once or not at
// all, regardless of loads that were interrupted, repeated or late.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/rows/schema.h"

namespace exporting {

struct FleetColumn {
  std::string_view name;
  std::string_view type;  // a type of ClickHouse
};
struct FleetTable {
  std::string_view name;
  std::vector<FleetColumn> columns;  // without the common columns
};

// block UInt64, load UInt64, chunk UInt32, day Date, host String, label String, capture Int64.
std::span<const FleetColumn> CommonColumns();
FleetTable FleetTableOf(tables::Table table);
// Totals: a row for each group of threads and metric.
const FleetTable& TotalsTable();
// The histograms of fxt summarize: a row for each bucket that is not empty.
const FleetTable& HistogramsTable();
// The critical paths of requests: a row for each name and part. Number and latency of requests
// are in the other two tables, as metric "request NAME" without a group.
const FleetTable& RequestPartsTable();
std::vector<FleetTable> AllFleetTables();
// The columns of Insert(): "block, load, chunk, day, host, label, capture, ts, ...".
std::string ColumnNames(const FleetTable& table);

// Returns statements that create everything that does not exist yet. With `cluster` each server has
// tables NAME_local, and NAME_rows is a Distributed table over them, sharded by host.
std::vector<std::string> FleetStatements(std::string_view database, std::string_view cluster);

}  // namespace exporting
