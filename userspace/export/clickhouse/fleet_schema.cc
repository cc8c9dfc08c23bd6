// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/fleet_schema.h"

#include <fmt/format.h>

#include <array>

namespace exporting {
namespace {

constexpr std::array<FleetColumn, 7> kCommon = {{{"block", "UInt64"},
                                                 {"load", "UInt64"},
                                                 {"chunk", "UInt32"},
                                                 {"day", "Date"},
                                                 {"host", "String"},
                                                 {"label", "String"},
                                                 {"capture", "Int64"}}};
constexpr FleetColumn kLoadsColumns[] = {
    {"load", "UInt64"},    {"table", "String"},        {"day", "Date"},     {"host", "String"},
    {"label", "String"},   {"capture", "Int64"},       {"bytes", "UInt64"}, {"rows", "UInt64"},
    {"complete", "UInt8"}, {"blocks", "Array(UInt64)"}};

std::string_view TypeOf(const tables::Column& column) {
  switch (column.type) {
    case tables::Type::kInteger:
      return column.nullable ? "Nullable(Int64)" : "Int64";
    case tables::Type::kReal:
      return column.nullable ? "Nullable(Float64)" : "Float64";
    case tables::Type::kText:
      break;
  }
  return column.nullable ? "Nullable(String)" : "String";
}

bool IsCommon(std::string_view name) {
  for (const FleetColumn& column : kCommon) {
    if (column.name == name) return true;
  }
  return false;
}

void AddColumns(std::string& text, std::span<const FleetColumn> columns) {
  for (const FleetColumn& column : columns) {
    if (text.back() != '(') text += ", ";
    text += fmt::format("{} {}", column.name, column.type);
  }
}

struct TablePlacement {
  std::string_view database;
  std::string_view cluster;
};

void AddTable(std::vector<std::string>& statements, const TablePlacement& placement,
              std::string_view name, const std::string& columns, std::string_view order) {
  const bool sharded = !placement.cluster.empty();
  const std::string full = fmt::format("{}.{}", placement.database, name);
  statements.push_back(fmt::format(
      "CREATE TABLE IF NOT EXISTS {}_{} {}) ENGINE = MergeTree() PARTITION BY toYYYYMM(day) "
      "ORDER BY ({})",
      full, sharded ? "local" : "rows", columns, order));
  if (!sharded) return;
  statements.push_back(
      fmt::format("CREATE TABLE IF NOT EXISTS {}_rows {}) ENGINE = Distributed({}, {}, {}_local, "
                  "cityHash64(host))",
                  full, columns, placement.cluster, placement.database, name));
}

}  // namespace

std::span<const FleetColumn> CommonColumns() { return kCommon; }

FleetTable FleetTableOf(tables::Table table) {
  const tables::TableInfo& info = tables::InfoOf(table);
  FleetTable made{.name = info.name, .columns = {}};
  for (const tables::Column& column : info.columns) {
    if (!IsCommon(column.name)) made.columns.push_back({column.name, TypeOf(column)});
  }
  return made;
}

const FleetTable& TotalsTable() {
  static const FleetTable table{.name = "totals",
                                .columns = {{"process", "String"},
                                            {"thread", "String"},
                                            {"of_command", "UInt8"},
                                            {"metric", "String"},
                                            {"count", "UInt64"},
                                            {"ns", "UInt64"},
                                            {"capture_ns", "UInt64"}}};
  return table;
}

const FleetTable& HistogramsTable() {
  static const FleetTable table{.name = "histograms",
                                .columns = {{"process", "String"},
                                            {"thread", "String"},
                                            {"of_command", "UInt8"},
                                            {"metric", "String"},
                                            {"least_ns", "UInt64"},
                                            {"most_ns", "UInt64"},
                                            {"count", "UInt64"}}};
  return table;
}

const FleetTable& RequestPartsTable() {
  static const FleetTable table{.name = "request_parts",
                                .columns = {{"name", "String"},
                                            {"requests", "UInt64"},
                                            {"kind", "String"},
                                            {"own", "UInt8"},
                                            {"thread", "String"},
                                            {"waited_for", "String"},
                                            {"object", "String"},
                                            {"ns", "UInt64"}}};
  return table;
}

std::vector<FleetTable> AllFleetTables() {
  std::vector<FleetTable> all;
  for (const tables::TableInfo& info : tables::Tables()) all.push_back(FleetTableOf(info.table));
  all.push_back(TotalsTable());
  all.push_back(HistogramsTable());
  all.push_back(RequestPartsTable());
  return all;
}

std::string ColumnNames(const FleetTable& table) {
  std::string names;
  for (const FleetColumn& column : kCommon) names += fmt::format("{}, ", column.name);
  for (const FleetColumn& column : table.columns) names += fmt::format("{}, ", column.name);
  names.resize(names.size() - 2);
  return names;
}

std::vector<std::string> FleetStatements(std::string_view database, std::string_view cluster) {
  const TablePlacement placement{.database = database, .cluster = cluster};
  std::vector<std::string> statements;
  statements.push_back(fmt::format("CREATE DATABASE IF NOT EXISTS {}", database));
  std::string columns(1, '(');
  AddColumns(columns, kLoadsColumns);
  AddTable(statements, placement, "loads", columns, "host, capture, load");
  for (const FleetTable& table : AllFleetTables()) {
    columns.assign(1, '(');
    AddColumns(columns, kCommon);
    AddColumns(columns, table.columns);
    AddTable(statements, placement, table.name, columns, "host, capture, load, chunk");
    std::string shown = "day, host, label, capture";
    for (const FleetColumn& column : table.columns) shown += fmt::format(", {}", column.name);
    statements.push_back(fmt::format(
        "CREATE VIEW IF NOT EXISTS {0}.{1} AS SELECT {2} FROM {0}.{1}_rows WHERE block GLOBAL IN "
        "(SELECT arrayJoin(argMax(blocks, load)) FROM {0}.loads_rows WHERE complete = 1 AND table "
        "= '{1}' GROUP BY host, capture)",
        database, table.name, shown));
  }
  return statements;
}

}  // namespace exporting
