// SPDX-License-Identifier: BSD-2-Clause
// The run of fxt-record, from the first look at the kernel to the closed file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "capture/bpf/kernel_features.h"
#include "capture/branch_recorder.h"
#include "capture/capture_session.h"
#include "capture/proc_identity.h"
#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "sink/open_sink.h"
#include "tools/record/child_process.h"
#include "tools/record/record_options.h"
#include "tools/record/summary.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class Recorder {
 public:
  explicit Recorder(RecordOptions options);

  // The exit code; what went wrong has been printed.
  int Run();

 private:
  enum class Reason { kDuration, kSignal, kCommandEnded, kOutputFailed };

  util::Result<capture::ProgramOptions> MakeProgramOptions(const capture::KernelFeatures& features);
  util::Status OpenBranches();
  // Hands them to the session, if their tasks can be told.
  util::Status KeepBranches();
  util::Status OpenOutput();
  void WarnOfFilters() const;
  util::Status Start();
  Reason Loop();
  void Finish(Reason reason, bool output_failed);
  void ShowProgress(uint64_t now);
  Summary MakeSummary(bool output_failed) const;
  bool on_terminal() const { return terminal_; }

  RecordOptions options_;
  bool terminal_ = false;
  bool realtime_ = false;
  uint64_t begin_ = 0;  // ns of CLOCK_MONOTONIC
  uint64_t session_end_ = 0;
  uint64_t start_bytes_ = 0;
  int signal_ = 0;
  uint64_t shown_events_ = 0;
  uint64_t shown_at_ = 0;
  bool line_shown_ = false;

  util::UniqueFd signals_;
  std::optional<ChildProcess> child_;
  capture::ProcIdentity identities_;
  std::unique_ptr<capture::BranchRecorder> branches_;
  std::unique_ptr<capture::CaptureSession> session_;
  std::unique_ptr<sink::Sink> sink_;
  std::optional<fxt::ArchiveWriter> archive_;
  std::optional<fxt::ProviderWriter> writer_;
};

// What fxt-record --list-categories prints. The exit code.
int ListCategories();

}  // namespace tools
