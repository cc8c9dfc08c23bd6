// SPDX-License-Identifier: BSD-2-Clause
// Varlink over the control socket: clients, and their calls to the controller.
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

// Runs on the controller's thread and waits for nobody:
//
//   server.AddPollFds(fds); poll(...); server.Turn(fds, now);
class Server {
 public:
  // Clients at a time, and those of one user who is not root. Root has a few places more.
  static constexpr size_t kMaxClients = 64;
  static constexpr size_t kMaxClientsOfUser = 16;
  static constexpr size_t kPlacesForRoot = 8;

  // All outlive it. `group`: whose members may control, beside root. Takes the controller's
  // OnState. `only_watched`: why clients may send alerts and look, but neither begin, end nor write
  // anything; empty where they may.
  Server(ControlSocket& socket, Controller& controller, Engine& engine, std::optional<gid_t> group,
         std::string only_watched = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  void AddPollFds(std::vector<pollfd>& fds);
  // When it has to have a turn at the latest: ns of CLOCK_MONOTONIC.
  std::optional<uint64_t> deadline() const;
  // `fds` as AddPollFds() filled it, polled. `now`: ns of CLOCK_MONOTONIC.
  void Turn(const std::vector<pollfd>& fds, uint64_t now);

  // Somebody sent an alert, by a call or otherwise.
  void TellAlert(const std::string& name);

  // But for programs that take part.
  size_t clients() const;

 private:
  using Client = std::shared_ptr<Connection>;
  // Called with the output of a call, or why it cannot have one.
  using OutputReady = std::function<void(util::Result<std::optional<TraceOutput>>)>;

  // A file that a process opens for a client.
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
  void TellState(SessionState state);

  // The last answer to the client's call, if that wants one.
  static void Answer(const Client& client, bool oneway, const std::string& message);
  // An answer that comes later.
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
  // Where its own are in the vector of the last AddPollFds().
  size_t first_fd_ = 0;
  size_t polled_clients_ = 0;
  size_t polled_openings_ = 0;
};

}  // namespace control
