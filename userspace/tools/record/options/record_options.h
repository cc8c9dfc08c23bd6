// SPDX-License-Identifier: BSD-2-Clause
// The command line of fxt-record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/category.h"
#include "capture/bpf/program_options.h"
#include "perf/live/lbr_options.h"
#include "request/trace_config.h"
#include "session/trigger/trigger_spec.h"
#include "util/result.h"

namespace tools {

// Exit codes, in the manner of perf, env and the shell.
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

struct RecordOptions {
  std::string output = "trace.fxt";  // "-": standard output
  bool gzip = false;
  uint64_t duration = 0;  // ns; 0: until a signal or the end of the command
  capture::CategorySelection categories = capture::DefaultCategories();
  uint64_t buffer_bytes = 0;  // per CPU; 0: by the number of CPUs
  // --circular, --oneshot: of all CPUs together; 0: into a file.
  uint64_t memory_bytes = 0;
  bool oneshot = false;
  std::vector<session::TriggerSpec> triggers;
  uint64_t before = 0;  // ns; 0: all of the buffer
  uint64_t after = 0;
  // The control socket; empty without --providers and without a trigger that waits for an alert.
  std::string socket;
  bool providers = false;
  std::vector<std::string> provider_categories;  // empty: all
  // --rotate: the limits of each file, ns and bytes; 0: no limit.
  uint64_t rotate_time = 0;
  uint64_t rotate_bytes = 0;
  bool rotates() const { return rotate_time != 0 || rotate_bytes != 0; }
  uint64_t keep = 0;  // the number of newest files that stay; 0: all
  bool only_command = false;
  perf::LbrOptions lbr;
  capture::StackOptions stack;
  bool symbols = false;  // function names are found at the end
  bool jvm = false;      // with symbols: Java's virtual machines write theirs before
  request::TaskFilter tasks;
  request::Sources sources;
  std::string stats_json;  // file for the summary's numbers
  bool quiet = false;
  bool verbose = false;
  // --list-categories: empty without it, "true", "names", or "prices".
  std::string list_categories;
  // --list-events: a pattern; empty without it.
  std::string list_events;
  std::string user;        // of the command; empty: the recorder's
  bool as_caller = false;  // the command runs as the user who called sudo
  std::vector<std::string> command;
  std::string command_line;  // the whole command line
};

// The parsed command line. With an exit code the program ends; help and errors have been printed.
struct ParsedOptions {
  RecordOptions options;
  std::optional<int> exit_code;
};

ParsedOptions ParseRecordOptions(int argc, char** argv);

}  // namespace tools
