// SPDX-License-Identifier: BSD-2-Clause
// The run of fxt-record as a session of its own: --circular and --oneshot record into memory, and
// write files when something happens; --rotate records into files that follow each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "control/server/mailbox.h"
#include "output/kept_files.h"
#include "output/name_pattern.h"
#include "provider/provider_set.h"
#include "session/recording.h"
#include "session/trigger/trigger_set.h"
#include "tools/record/command_run.h"
#include "tools/record/control/alert_listener.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"
#include "util/result.h"

namespace tools {

class SessionRecorder : private AlertListener::Owner {
 public:
  explicit SessionRecorder(RecordOptions options) : options_(std::move(options)) {}

  // The exit code; what went wrong has been printed.
  int Run();

 private:
  int RunQuietly();
  int Fail(const util::Error& error);
  util::Status Make(const capture::KernelFeatures& features, bool realtime);
  util::Status Start();
  void OnAlert(const std::string& name) override { triggers_->OnAlert(name); }
  control::Status GetStatus() const override;
  void Loop();
  // Whether the recording goes on.
  bool Look();
  void Wait();
  void WriteDue(bool all);
  void Write(session::DueSnapshot due, uint64_t number);
  void TellWritten();
  void Tell(const session::Written& written);
  // The next one of --rotate.
  util::Result<session::Destination> NextFile(uint64_t number);
  std::string FreshName(uint64_t number);
  // Those that --keep does not keep; `which`: what is said of them.
  void RemoveOld(const char* which);
  // Whether all files were written.
  void End();
  void PrintSummary();

  RecordOptions options_;
  Console console_{"fxt-record"};
  EndSignals signals_;
  CommandRun command_{console_, signals_};
  std::optional<output::NamePattern> names_;
  std::optional<output::KeptFiles> kept_;
  control::Mailbox home_;
  provider::ProviderSet providers_{
      [this](std::function<void()> work) { home_.Post(std::move(work)); }};
  std::unique_ptr<session::Recording> recording_;
  std::unique_ptr<session::TriggerSet> triggers_;
  std::unique_ptr<AlertListener> alerts_;  // where a trigger waits for one
  std::vector<pollfd> fds_;
  uint64_t started_ = 0;            // ns of util::MonotonicNow()
  uint64_t deadline_ = UINT64_MAX;  // ns of util::MonotonicNow()
  uint64_t next_file_ = 1;
  std::string last_name_;
  uint32_t signals_seen_ = 0;
  bool failed_ = false;
};

}  // namespace tools
