// SPDX-License-Identifier: BSD-2-Clause
// Runs a recording in the foreground, from the probe of the kernel to the closed file: into one
// file, into rotated files (--rotate), or into a buffer (--circular, --oneshot).
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "control/server/mailbox.h"
#include "output/kept_files.h"
#include "provider/provider_set.h"
#include "tools/record/command_run.h"
#include "tools/record/control/alert_listener.h"
#include "tools/record/driver/file_names.h"
#include "tools/record/driver/recording_driver.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"
#include "tools/record/record_outputs.h"
#include "tools/record/symbol_pass.h"
#include "tools/record/totals.h"
#include "util/result.h"

namespace tools {

class Recorder : private AlertListener::Owner {
 public:
  explicit Recorder(RecordOptions options) : options_(std::move(options)) {}

  // Returns the exit code; errors have been printed.
  int Run();

 private:
  enum class Reason { kDuration, kSignal, kCommandEnded, kOutputFailed, kBufferFull };
  enum class Phase { kStarting, kRecording, kEnding };

  bool buffered() const { return options_.memory_bytes != 0; }
  bool single_file() const { return !buffered() && !options_.rotates(); }

  int RunUntilEnd();
  int Fail(const util::Error& error);
  util::Status Make(const capture::KernelFeatures& features);
  util::Status OpenOutput(DriverConfig& config);
  util::Status Listen();
  util::Status Start();
  util::Status OnStarted();
  int FailToStart(const util::Error& error);
  void NoteStart();
  Reason Loop();
  void Wait();
  std::optional<Reason> ReasonToEnd();
  bool KeepWaiting();
  void EnterEnd(bool by_signal);
  // Each completes the output, and sets failed_ if it cannot.
  void End(Reason reason);
  void EndFile(Reason reason);
  void EndRotation();
  void EndBuffer();
  bool FindNames();
  util::Result<session::Destination> NextFile();
  // Removes the files that --keep does not keep; `which` describes them in the note.
  void RemoveOld(const char* which);
  void Report(const session::SnapshotResult& result);
  void Report(const util::Error& error);
  void PrintFileSummary(Reason reason, const session::SnapshotResult& file);
  void PrintBufferSummary();

  // Calls of clients on the control socket.
  void OnAlert(const std::string& name) override;
  control::Status GetStatus() override { return driver_->GetStatus(); }

  RecordOptions options_;
  Console console_{"fxt-record"};
  EndSignals signals_;
  CommandRun command_{console_, signals_};
  bool realtime_ = false;
  std::shared_ptr<unwind::TableMaker> table_maker_;  // up to Make()
  bool released_ = false;                            // the command runs
  bool failed_ = false;                              // an error was printed
  uint64_t begin_ = 0;                               // ns of util::MonotonicNow()
  uint64_t deadline_ = UINT64_MAX;                   // ns of util::MonotonicNow()

  std::mutex end_mutex_;
  // Under end_mutex_: the thread of an output may find that the recording has to end.
  Phase phase_ = Phase::kStarting;
  uint32_t signals_to_give_up_ = 1;  // number of signals that end a wait for the output's reader

  std::optional<RecordOutputs> outputs_;  // single_file()
  std::optional<FileNames> names_;        // otherwise
  std::optional<output::KeptFiles> kept_;
  std::optional<SymbolPassResult> symbols_;
  control::Mailbox mailbox_;
  provider::ProviderSet providers_{
      [this](std::function<void()> work) { mailbox_.Post(std::move(work)); }};
  std::unique_ptr<RecordingDriver> driver_;
  std::unique_ptr<AlertListener> alerts_;  // null: no control socket
  std::vector<pollfd> fds_;
  uint32_t snapshot_requests_ = 0;  // SIGUSR1, handled so far
  std::optional<util::Error> output_error_;
};

}  // namespace tools
