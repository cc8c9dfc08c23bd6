// SPDX-License-Identifier: BSD-2-Clause
// The control socket of a recording in the foreground whose triggers wait for alerts, or in which
// programs take part: clients may send alerts, watch, and ask for the status. The recording itself
// belongs to whoever started it.
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
  // What there is to know of the recording.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnAlert(const std::string& name) = 0;
    virtual control::Status GetStatus() = 0;
  };

  // Listens at `path`, for root alone, from now on; nobody is served before the first Turn(). An
  // error where a controller serves it already. `owner` outlives it.
  // `providers`: programs may take part in it; outlives the listener, null: they may not.
  static util::Result<std::unique_ptr<AlertListener>> Listen(const std::string& path, Owner& owner,
                                                             provider::ProviderSet* providers);
  AlertListener(const AlertListener&) = delete;
  AlertListener& operator=(const AlertListener&) = delete;
  ~AlertListener();

  // Whether somebody ended without a chance to take the socket away.
  bool replaced_stale() const { return socket_->replaced_stale(); }
  void AddPollFds(std::vector<pollfd>& fds) { server_->AddPollFds(fds); }
  // Sends an alert of a provider to the clients that watch alerts.
  void SendAlert(const std::string& name) { server_->TellAlert(name); }
  // When it has to have a turn at the latest, ms.
  int TimeoutMs() const;
  // `fds` as AddPollFds() filled it, polled. Waits for nobody.
  void Turn(const std::vector<pollfd>& fds);

 private:
  class Engine;
  AlertListener(std::unique_ptr<control::ControlSocket> socket, Owner& owner,
                provider::ProviderSet* providers);

  std::unique_ptr<control::ControlSocket> socket_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<control::Controller> controller_;
  std::unique_ptr<control::Server> server_;
  uint64_t check_at_ = 0;  // the socket; ns of CLOCK_MONOTONIC
};

}  // namespace tools
