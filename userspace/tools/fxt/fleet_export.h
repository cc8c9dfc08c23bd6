// SPDX-License-Identifier: BSD-2-Clause
// fxt export --clickhouse: captures into the tables of a fleet.
#pragma once

#include <string>
#include <vector>

namespace tools {

struct FleetOptions {
  std::vector<std::string> files;   // traces and summaries
  std::vector<std::string> tables;  // empty: all
  std::string server;               // http://HOST:8123
  std::string database = "fxt";
  std::string cluster;  // of the servers, for --print-schema
  std::string host;     // "" as the capture has it
  std::string label;
  bool print_schema = false;
};

// Prints the statements that make the tables.
int PrintFleetSchema(const FleetOptions& options);
// Brings every file in; goes on with the next one where a file cannot be read, stops where the
// server fails.
int ExportToFleet(const FleetOptions& options);

}  // namespace tools
