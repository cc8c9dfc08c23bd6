// SPDX-License-Identifier: BSD-2-Clause
// Runs a workload under both tracers.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "capture/ftrace/compare.h"
#include "capture/ftrace/tracefs/ftrace_session.h"
#include "capture/support/child_process.h"
#include "util/result.h"

namespace truth {

struct TruthRunOptions {
  std::vector<std::string> recorder;  // fxt-record, with the programs that start it
  std::vector<std::string> recorder_options;
  std::string trace_path;  // the output file
  std::vector<std::string> workload;
  // A program with the command `within WINDOW_FILE SESSION command...`: ftrace_compare.
  std::string window_program;
  // Compares from the begin that the file declares. A circular buffer has dropped older events.
  bool from_session = false;
  std::chrono::milliseconds limit = kLimit;
  size_t buffer_kib = 64 * 1024;
  std::string blind_init = "auto";
  std::string blind_idle = "auto";
  CompareOptions compare;  // window and blind spots are filled in
};

struct TruthRun {
  CommandResult command;  // of the recorder; its exit code is that of the workload
  FtraceLog reference;
  FxtLog recorded;
  CompareOptions options;  // with the window and the blind spots
  Comparison comparison;

  std::string Describe() const;
};

// Returns the time of the first instant of a recording, ns.
util::Result<uint64_t> SessionBegin(const std::string& path);

// Called while both tracers run, before the wait for the workload.
using DuringRun = std::function<void(ChildProcess& recorder)>;

// Returns an error if the comparison is impossible: no ftrace, an overrun of its buffers, a failed
// recorder, an unreadable file.
util::Result<TruthRun> RunUnderBoth(const TruthRunOptions& options, const DuringRun& during = {});

// Implements `within`: runs `command` and writes the times before and after it to `window_path`.
// First enables the second stamps of the session `second`, unless that is "-". Returns the exit
// code.
int RunWithinWindow(const std::string& window_path, const std::string& second,
                    const std::vector<std::string>& command);
util::Result<Window> ReadWindow(const std::string& window_path);

}  // namespace truth
