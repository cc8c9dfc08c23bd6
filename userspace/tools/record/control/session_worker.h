// SPDX-License-Identifier: BSD-2-Clause
// The thread that records for a controller.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/category.h"
#include "capture/bpf/kernel_features.h"
#include "capture/proc_identity.h"
#include "control/controller/engine.h"
#include "control/server/mailbox.h"
#include "session/recording.h"
#include "tools/record/control/trigger_files.h"
#include "tools/record/options/record_options.h"

namespace tools {

// What concerns all sessions of a controller.
struct SessionDefaults {
  uint64_t buffer_bytes = uint64_t{64} << 20;
  std::string command_line;  // what files say of the recorder's
  bool verbose = false;
  TriggerOptions triggers;  // of sessions that keep a buffer
};

// All of it on one thread, but for inbox(), Quit() and the constructor.
class SessionWorker {
 public:
  // `stopped` is called when a recording ends by itself, with the reason; `say` with lines for
  // people.
  SessionWorker(const capture::KernelFeatures& features, SessionDefaults defaults,
                std::function<void(std::string)> stopped, std::function<void(std::string)> say);

  // Records and does what is in the inbox, until Quit().
  void Run();
  void Quit();
  control::Mailbox& inbox() { return inbox_; }

  // As those of control::Engine.
  control::Outcome Initialize(const control::TraceConfig& config,
                              std::optional<control::TraceOutput> output);
  control::Outcome Start(const control::StartOptions& options);
  control::Outcome Stop();
  void Write(control::TraceOutput output, uint64_t last, control::Done done);
  void Terminate(control::Done done);
  void Alert(const std::string& name);
  // Somebody sent a SIGUSR1.
  void Signal();
  control::Status GetStatus();

 private:
  util::Status Make(const capture::CategorySelection& categories);
  util::Result<session::Destination> StreamingDestination() const;
  void Turn(const std::vector<pollfd>& fds);
  void TellWritten();
  void TerminateIfDone();
  std::vector<session::TriggerFired> AlertsOfLast(uint64_t last) const;

  const capture::KernelFeatures& features_;
  const SessionDefaults defaults_;
  const std::function<void(std::string)> stopped_;
  const std::function<void(std::string)> say_;
  control::Mailbox inbox_;
  bool quit_ = false;
  bool realtime_ = false;
  capture::ProcIdentity identities_;

  // The session.
  control::TraceConfig config_;
  capture::CategorySelection categories_;
  RecordOptions options_;                       // as the foreground would have them
  std::optional<control::TraceOutput> output_;  // STREAMING
  std::unique_ptr<session::Recording> recording_;
  std::unique_ptr<TriggerFiles> triggers_;  // after what it looks at
  bool begun_ = false;                      // was started once
  bool recording_now_ = false;
  uint64_t started_at_ = 0;                    // ns of CLOCK_MONOTONIC
  std::vector<session::TriggerFired> alerts_;  // the last ones
  std::map<uint64_t, control::Done> being_written_;
  control::Done terminated_;
  // When a reader of STREAMING has to be done, ns of CLOCK_MONOTONIC; 0: no hurry.
  std::shared_ptr<std::atomic<uint64_t>> hurry_;
};

}  // namespace tools
