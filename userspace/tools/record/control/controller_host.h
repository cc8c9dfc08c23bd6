// SPDX-License-Identifier: BSD-2-Clause
// Implements `fxt-record serve`.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capture/bpf/kernel_features.h"
#include "control/controller/controller.h"
#include "control/server/control_socket.h"
#include "control/server/mailbox.h"
#include "control/server/server.h"
#include "tools/record/control/client_output.h"
#include "tools/record/control/session_engine.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"
#include "util/result.h"

namespace tools {

struct HostOptions {
  std::string socket;
  std::optional<gid_t> group;
  // A session that begins with the process.
  std::optional<request::TraceConfig> session;
  std::string output;       // STREAMING
  TriggerOptions triggers;  // of every session that keeps a buffer
  // Ends with the first session, or if no client begins one.
  bool once = false;
  // The parent reads the output up to "READY"; nothing is written after it.
  bool background = false;
  bool verbose = false;
  std::string command_line;
};

class ControllerHost {
 public:
  explicit ControllerHost(HostOptions options) : options_(std::move(options)) {}
  // Runs until a signal. Returns the exit code; errors have been printed.
  int Run();

 private:
  int Serve();
  util::Status OpenSocket();
  // False after an error, which has been printed.
  bool BeginSession();
  void SayReady();
  void Loop();
  void Poll();
  void CheckSocket(uint64_t now);
  bool HasServedOnce();
  void Finish();

  HostOptions options_;
  Console console_{"fxt-record"};
  EndSignals signals_;
  control::Mailbox mailbox_;
  std::unique_ptr<control::ControlSocket> socket_;
  std::optional<capture::KernelFeatures> features_;
  std::unique_ptr<SessionEngine> engine_;
  std::unique_ptr<control::Controller> controller_;
  std::unique_ptr<control::Server> server_;
  std::optional<ClientOutput> output_;
  uint64_t check_at_ = 0;    // the next check of the socket; ns of CLOCK_MONOTONIC
  uint64_t idle_since_ = 0;  // without a client; ns of CLOCK_MONOTONIC
  bool had_session_ = false;
  uint32_t snapshot_requests_ = 0;  // SIGUSR1, handled so far
};

}  // namespace tools
