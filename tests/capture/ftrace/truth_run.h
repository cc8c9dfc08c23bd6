// SPDX-License-Identifier: BSD-2-Clause
// A workload under both tracers at once.
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
  std::vector<std::string> recorder;  // fxt-record, with what starts it in front
  std::vector<std::string> recorder_options;
  std::string trace_path;  // what it writes
  std::vector<std::string> workload;
  // A program that knows `within WINDOW_FILE SESSION command...`: ftrace_compare.
  std::string window_program;
  // Only from where the file says that it begins: that of a circular buffer, whose older events are
  // gone.
  bool from_session = false;
  std::chrono::milliseconds limit{60'000};
  size_t buffer_kib = 64 * 1024;
  std::string blind_init = "auto";
  std::string blind_idle = "auto";
  CompareOptions compare;  // window and blind spots are filled in
};

struct TruthRun {
  CommandResult command;  // of the recorder, whose exit code is the workload's
  FtraceLog reference;
  FxtLog recorded;
  CompareOptions options;  // with the window and the blind spots
  Comparison comparison;

  std::string Describe() const;
};

// The time of the instant that a recording of ours begins with, ns.
util::Result<uint64_t> SessionBegin(const std::string& path);

// Called while both run, before the workload's end is waited for.
using DuringRun = std::function<void(ChildProcess& recorder)>;

// An error: the comparison could not be made (no ftrace, an overrun of its buffers, a recorder that
// failed, a file that cannot be read).
util::Result<TruthRun> RunUnderBoth(const TruthRunOptions& options, const DuringRun& during = {});

// The `within` of a window program: runs `command` and writes the times just before and after it to
// `window_path`. Before that it switches on the second stamping of the session `second`, unless
// that is "-". Returns its exit code.
int RunWithinWindow(const std::string& window_path, const std::string& second,
                    const std::vector<std::string>& command);
util::Result<Window> ReadWindow(const std::string& window_path);

}  // namespace truth
