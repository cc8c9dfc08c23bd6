// SPDX-License-Identifier: BSD-2-Clause
// The tables of a fleet: those of fxt query and two of sums, for many captures of many hosts.
//
// What is sent stands in NAME_rows, each row with the block that brought it, which is one insertion
// of one load, which is one attempt to bring one capture. loads_rows has for each load that came to
// its end the blocks of each table; NAME is a view of those of the newest such load of each
// capture, so that it is there once or not at all, whatever was broken off, done twice or arrived
// late.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/rows/schema.h"

namespace exporting {

struct FleetColumn {
  std::string_view name;
  std::string_view type;  // of ClickHouse
};
struct FleetTable {
  std::string_view name;
  std::vector<FleetColumn> columns;  // without those that every table begins with
};

// block UInt64, load UInt64, chunk UInt32, day Date, host String, label String, capture Int64.
std::span<const FleetColumn> CommonColumns();
FleetTable FleetTableOf(tables::Table table);
// Sums: a row for each group of threads and thing that is counted or timed.
const FleetTable& TotalsTable();
// Distributions as fxt summarize has them: a row for each bucket that is not empty.
const FleetTable& HistogramsTable();
std::vector<FleetTable> AllFleetTables();
// "block, load, chunk, day, host, label, capture, ts, ...": what Insert() names.
std::string ColumnNames(const FleetTable& table);

// Statements that make everything that is not there yet. With `cluster`: on each server the tables
// of its own, NAME_local, and NAME_rows as all of them together, rows placed by their host.
std::vector<std::string> FleetStatements(std::string_view database, std::string_view cluster);

}  // namespace exporting
