// SPDX-License-Identifier: BSD-2-Clause
// Serves varlink on the control socket: accepts clients and passes their calls to the controller.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/controller/controller.h"
#include "control/protocol/call.h"
#include "control/server/connection.h"
#include "control/server/control_socket.h"
#include "control/server/provider_calls.h"

namespace control {

// Runs on the controller's thread and never blocks:
//
//   server.AddPollFds(fds); poll(...); server.Turn(fds, now);
class Server {
 public:
  // Limits of connected clients: of all users, of one user other than root, and additional ones for
  // root.
  static constexpr size_t kMaxClients = 64;
  static constexpr size_t kMaxClientsOfUser = 16;
  static constexpr size_t kPlacesForRoot = 8;

  // All references outlive the server. Root and members of `group` may control. Uses the
  // controller's OnState. `only_watched`: the reason why clients may only send alerts and read the
  // state; empty if they may also control.
  Server(ControlSocket& socket, Controller& controller, Engine& engine, std::optional<gid_t> group,
         std::string only_watched = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  void AddPollFds(std::vector<pollfd>& fds);
  // The latest time of the next Turn(), ns of CLOCK_MONOTONIC.
  std::optional<uint64_t> deadline() const;
  // `fds` as AddPollFds() filled it, polled. `now`: ns of CLOCK_MONOTONIC.
  void Turn(const std::vector<pollfd>& fds, uint64_t now);

  // Reports an alert to the clients that watch alerts.
  void NotifyAlert(const std::string& name);

  // The number of clients without providers.
  size_t clients() const;

 private:
  using Client = std::shared_ptr<Connection>;
  // Receives the output of a call, or an error.
  using OutputReady = std::function<void(util::Result<std::optional<TraceOutput>>)>;

  // A file that a child process is opening for a client.
  struct Opening {
    OpenAs process;
    std::weak_ptr<Connection> client;
    uint64_t deadline;
    std::string name;
    bool gzip;
    OutputReady ready;
  };

  void Accept();
  bool HasPlace(const Peer& peer) const;
  void Handle(const Client& client, const std::string& message, uint64_t now);
  void HandleService(const Client& client, const Call& call);
  void HandleController(const Client& client, Call& call, uint64_t now);
  void Initialize(const Client& client, const Call& call, uint64_t now);
  void WatchAlert(const Client& client, const Call& call);
  void NotifyState(SessionState state);

  // Sends the last reply to the client's call, unless it is oneway.
  static void Answer(const Client& client, bool oneway, const std::string& message);
  // A function that sends the reply later.
  static Done Answering(const Client& client, bool oneway,
                        std::string (*result)(const std::optional<request::WrittenTrace>&));
  void WithOutput(const Client& client, const std::optional<OutputChoice>& choice, uint64_t now,
                  OutputReady ready);
  void TurnOpenings(const std::vector<pollfd>& fds, uint64_t now);
  void Reap();

  ControlSocket& socket_;
  Controller& controller_;
  Engine& engine_;
  ProviderCalls provider_calls_;
  const std::optional<gid_t> group_;
  const std::string only_watched_;
  std::vector<Client> clients_;
  std::vector<Opening> openings_;
  std::vector<pid_t> unreaped_;
  // The range of its descriptors in the vector of the last AddPollFds().
  size_t first_fd_ = 0;
  size_t polled_clients_ = 0;
  size_t polled_openings_ = 0;
  std::vector<Client> polled_processes_;  // of providers
};

}  // namespace control
