// SPDX-License-Identifier: BSD-2-Clause
// The run of fxt-record with --circular or --oneshot: records into memory, and writes files when
// something happens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "output/name_pattern.h"
#include "session/recording.h"
#include "session/trigger/trigger_set.h"
#include "tools/record/command_run.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"
#include "util/result.h"

namespace tools {

class BufferedRecorder {
 public:
  explicit BufferedRecorder(RecordOptions options) : options_(std::move(options)) {}

  // The exit code; what went wrong has been printed.
  int Run();

 private:
  int RunQuietly();
  int Fail(const util::Error& error);
  util::Status Make(const capture::KernelFeatures& features);
  util::Status Start();
  void Loop();
  // Whether the recording goes on.
  bool Look();
  void Wait();
  void WriteDue(bool all);
  void Write(session::DueSnapshot due, uint64_t number);
  void TellWritten();
  // Whether all files were written.
  void End();
  void PrintSummary();

  RecordOptions options_;
  Console console_{"fxt-record"};
  EndSignals signals_;
  CommandRun command_{console_, signals_};
  std::optional<output::NamePattern> names_;
  std::unique_ptr<session::Recording> recording_;
  std::unique_ptr<session::TriggerSet> triggers_;
  std::vector<pollfd> fds_;
  uint64_t deadline_ = UINT64_MAX;  // ns of util::MonotonicNow()
  uint64_t next_file_ = 1;
  std::string last_name_;
  uint32_t signals_seen_ = 0;
  bool failed_ = false;
};

}  // namespace tools
