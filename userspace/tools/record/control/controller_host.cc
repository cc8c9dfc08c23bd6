// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/controller_host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "control/server/service_manager.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/privileges.h"
#include "util/clock.h"

namespace tools {
namespace {

// The time that --once waits for a client to begin a session; ns.
constexpr uint64_t kIdleTimeoutNs = 5'000'000'000;

}  // namespace

int ControllerHost::Run() {
  signals_.Take();
  signals_.TakeSnapshotSignal();
  const int exit_code = Serve();
  console_.Finish(kConsoleTimeout);
  return exit_code;
}

int ControllerHost::Serve() {
  if (auto status = KeepOnly(ServiceCapabilities()); !status) {
    console_.Error(status.error());
    return kExitFailure;
  }
  if (auto status = OpenSocket(); !status) {
    console_.Error(status.error());
    return kExitFailure;
  }
  auto features = capture::ProbeKernel();
  if (!features) {
    console_.Error(features.error());
    return kExitFailure;
  }
  features_.emplace(std::move(*features));
  SessionDefaults defaults;
  defaults.command_line = options_.command_line;
  defaults.verbose = options_.verbose;
  defaults.triggers = options_.triggers;
  engine_ = std::make_unique<SessionEngine>(
      mailbox_, *features_, std::move(defaults),
      SessionEngine::Events{
          .stopped =
              [this](const std::string& reason) {
                console_.Note(fmt::format("recording has stopped: {}", reason));
                controller_->StoppedByItself(reason);
              },
          .note = [this](const std::string& line) { console_.Note(line); },
          .alert = [this](const std::string& name) { server_->NotifyAlert(name); }});
  controller_ = std::make_unique<control::Controller>(*engine_);
  server_ = std::make_unique<control::Server>(*socket_, *controller_, *engine_, options_.group);
  const bool began = !options_.session || BeginSession();
  if (began) {
    SayReady();
    Loop();
  }
  Finish();
  return began ? 0 : kExitFailure;
}

util::Status ControllerHost::OpenSocket() {
  auto passed = control::ControlSocket::FromServiceManager();
  if (!passed) return passed.TakeError();
  if (*passed) {
    socket_ = std::move(*passed);
    return util::Ok();
  }
  auto bound = control::ControlSocket::Bind(options_.socket, options_.group);
  if (!bound) return bound.TakeError();
  socket_ = std::move(*bound);
  if (socket_->replaced_stale()) {
    console_.Note(
        fmt::format("removed {}, the socket of a controller that was killed: its session is lost",
                    options_.socket));
  }
  return util::Ok();
}

bool ControllerHost::BeginSession() {
  std::optional<control::TraceOutput> trace;
  if (options_.session->buffering_mode == request::BufferingMode::kStreaming) {
    auto opened = ClientOutput::Open(options_.output, true);
    if (!opened) {
      console_.Error(opened.error());
      return false;
    }
    output_.emplace(std::move(*opened));
    trace.emplace(
        control::TraceOutput{util::UniqueFd(fcntl(output_->passed().fd, F_DUPFD_CLOEXEC, 3)),
                             options_.output, output_->passed().gzip});
  }
  std::optional<bool> began;
  const auto end = [this, &began](const control::Outcome& outcome) {
    began = !outcome.failure;
    if (outcome.failure) console_.Error({outcome.failure->message, outcome.failure->hint});
  };
  controller_->Initialize(*options_.session, std::move(trace),
                          [this, end](const control::Outcome& outcome) {
                            if (outcome.failure) return end(outcome);
                            controller_->Start({}, util::MonotonicNow(), end);
                          });
  while (!began && signals_.count() == 0) Poll();
  if (!began.value_or(false)) return false;
  if (output_) {
    if (auto status = output_->Publish(); !status) {
      console_.Error(status.error());
      return false;
    }
  }
  return true;
}

void ControllerHost::SayReady() {
  // The parent reads up to READY.
  if (options_.background) console_.Finish(kConsoleTimeout);
  control::NotifyServiceManager("READY=1");
  constexpr std::string_view kReady = "READY\n";
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, kReady.data(), kReady.size());
  if (!options_.background) return;
  // Another process may wait for the end of the output.
  const util::UniqueFd nowhere(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(nowhere.get(), STDOUT_FILENO);
  dup2(nowhere.get(), STDERR_FILENO);
}

void ControllerHost::Poll() {
  std::vector<pollfd> fds = {{signals_.fd(), POLLIN, 0}, {mailbox_.fd(), POLLIN, 0}};
  server_->AddPollFds(fds);
  uint64_t now = util::MonotonicNow();
  uint64_t until = now + control::kSocketCheckInterval;
  if (const auto deadline = server_->deadline()) until = std::min(until, *deadline);
  const uint64_t wait = until > now ? (until - now + 999'999) / 1'000'000 : 0;
  poll(fds.data(), fds.size(), static_cast<int>(wait));
  now = util::MonotonicNow();
  signals_.Look();
  for (; snapshot_requests_ < signals_.snapshot_requests(); ++snapshot_requests_) engine_->Signal();
  mailbox_.Run();
  server_->Turn(fds, now);
  had_session_ = had_session_ || controller_->state() != control::SessionState::kReady;
  if (server_->clients() > 0) idle_since_ = now;
  CheckSocket(now);
}

void ControllerHost::CheckSocket(uint64_t now) {
  if (now < check_at_) return;
  check_at_ = now + control::kSocketCheckInterval;
  if (socket_->IsInPlace()) return;
  if (auto status = socket_->Restore(); !status) {
    console_.Error(status.error());
    check_at_ = now + 60 * control::kSocketCheckInterval;
    return;
  }
  console_.Note(fmt::format("{} was removed; created it again", options_.socket));
}

bool ControllerHost::HasServedOnce() {
  if (!options_.once || server_->clients() > 0 || !controller_->idle() ||
      controller_->state() != control::SessionState::kReady) {
    return false;
  }
  if (idle_since_ == 0) idle_since_ = util::MonotonicNow();
  return had_session_ || util::MonotonicNow() - idle_since_ > kIdleTimeoutNs;
}

void ControllerHost::Loop() {
  while (signals_.count() == 0 && !HasServedOnce()) Poll();
}

void ControllerHost::Finish() {
  control::NotifyServiceManager("STOPPING=1");
  // Completes a file that is being streamed, unless a second signal comes.
  bool ended = false;
  controller_->Terminate(true, std::nullopt, [&](const control::Outcome& outcome) {
    ended = true;
    if (outcome.failure && outcome.failure->error != control::error_name::kNoOutput) {
      console_.Error({outcome.failure->message, outcome.failure->hint});
    }
  });
  while (!ended && signals_.count() < 2) Poll();
  // The socket goes first: no client connects during the shutdown.
  server_.reset();
  socket_.reset();
  engine_.reset();
  controller_.reset();
}

}  // namespace tools
