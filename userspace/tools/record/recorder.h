// SPDX-License-Identifier: BSD-2-Clause
// The run of fxt-record, from the first look at the kernel to the closed file.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "capture/bpf/kernel_features.h"
#include "capture/capture_session.h"
#include "capture/event_handler.h"
#include "capture/perf_sources.h"
#include "capture/proc_identity.h"
#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "model/task_tracker.h"
#include "sink/sink.h"
#include "tools/record/command_run.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"
#include "tools/record/provider_host.h"
#include "tools/record/record_outputs.h"
#include "tools/record/symbol_pass.h"
#include "tools/record/totals.h"
#include "translate/translator.h"
#include "util/result.h"

namespace tools {

class Recorder {
 public:
  explicit Recorder(RecordOptions options);

  // The exit code; what went wrong has been printed.
  int Run();

 private:
  enum class Reason { kDuration, kSignal, kCommandEnded, kOutputFailed };
  enum class Phase { kStarting, kRecording, kEnding };

  int RunQuietly();
  int Fail(const util::Error& error, int exit_code = kExitFailure);
  int FailToStart(const util::Error& error);
  util::Result<capture::ProgramOptions> ChoosePrograms(const capture::KernelFeatures& features);
  util::Status OpenSources();
  util::Status OpenOutput();
  util::Status Start();
  Reason Loop();
  void Wait(bool drained);
  std::optional<Reason> ReasonToEnd(uint64_t now);
  bool KeepWaiting();
  void EnterEnd(bool by_signal);
  // Whether all that was asked for is written.
  bool End(Reason reason);
  bool FindNames();
  // False if the numbers could not be written.
  bool Finish(Reason reason, bool output_failed);
  Totals CountTotals(bool output_failed) const;

  RecordOptions options_;
  Console console_{"fxt-record"};
  bool realtime_ = false;
  uint64_t begin_ = 0;  // ns of CLOCK_MONOTONIC
  uint64_t session_end_ = 0;
  uint64_t start_bytes_ = 0;
  uint64_t deadline_ = UINT64_MAX;

  EndSignals signals_;
  std::mutex end_mutex_;
  // Under end_mutex_, as a sink's thread may find that the recording has to end.
  Phase phase_ = Phase::kStarting;
  uint32_t signals_to_give_up_ = 1;  // as many end a wait for who reads the output

  CommandRun command_{console_, signals_};
  capture::ProcIdentity identities_;
  std::unique_ptr<ProviderHost> providers_;  // null: nobody takes part
  capture::PerfSources sources_;
  std::unique_ptr<capture::CaptureSession> session_;
  std::optional<RecordOutputs> outputs_;
  std::optional<SymbolPassResult> names_;  // with --symbols, once the file has them
  std::unique_ptr<sink::Sink> sink_;
  std::optional<fxt::ArchiveWriter> archive_;
  std::optional<fxt::ProviderWriter> writer_;
  std::optional<model::TaskTracker> tasks_;
  std::optional<translate::Translator> translator_;
  std::optional<capture::HandlerOf<translate::Translator>> handler_;
};

}  // namespace tools
