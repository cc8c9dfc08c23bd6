// SPDX-License-Identifier: BSD-2-Clause
// Serves the control socket of a recording in the foreground. Clients may send alerts, watch, read
// the status, and register providers. They cannot control the recording.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/controller/controller.h"
#include "control/server/control_socket.h"
#include "control/server/server.h"
#include "provider/provider_set.h"
#include "util/result.h"

namespace tools {

class AlertListener {
 public:
  // The recording.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnAlert(const std::string& name) = 0;
    virtual control::Status GetStatus() = 0;
  };

  // Listens at `path`, for root alone. Serves clients from the first Turn() on. An error if another
  // process serves `path`. `owner` and `providers` outlive it. `providers`: null refuses providers.
  static util::Result<std::unique_ptr<AlertListener>> Listen(const std::string& path, Owner& owner,
                                                             provider::ProviderSet* providers);
  AlertListener(const AlertListener&) = delete;
  AlertListener& operator=(const AlertListener&) = delete;
  ~AlertListener();

  // True if it replaced the socket of a process that was killed.
  bool replaced_stale() const { return socket_->replaced_stale(); }
  void AddPollFds(std::vector<pollfd>& fds) { server_->AddPollFds(fds); }
  // Sends an alert of a provider to the clients that watch alerts.
  void SendAlert(const std::string& name) { server_->NotifyAlert(name); }
  // The latest time of the next Turn(), ms from now.
  int TimeoutMs() const;
  // `fds` as AddPollFds() filled it, polled. Never blocks.
  void Turn(const std::vector<pollfd>& fds);

 private:
  class Engine;
  AlertListener(std::unique_ptr<control::ControlSocket> socket, Owner& owner,
                provider::ProviderSet* providers);

  std::unique_ptr<control::ControlSocket> socket_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<control::Controller> controller_;
  std::unique_ptr<control::Server> server_;
  uint64_t check_at_ = 0;  // the next check of the socket; ns of CLOCK_MONOTONIC
};

}  // namespace tools
