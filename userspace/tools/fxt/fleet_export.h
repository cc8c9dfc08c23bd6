// SPDX-License-Identifier: BSD-2-Clause
// fxt export --clickhouse: loads captures into the tables of a fleet.
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
  std::string host;     // "" uses the capture's own
  std::string label;
  bool print_schema = false;
};

// Prints the statements that create the tables.
int PrintFleetSchema(const FleetOptions& options);
// Loads every file; continues after an unreadable file and stops after an error of the server.
int ExportToFleet(const FleetOptions& options);

}  // namespace tools
