// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "control/protocol/descriptors.h"
#include "control/protocol/interface_text.h"

namespace control {
namespace {

// The timeout for opening a client's path.
constexpr uint64_t kOpenTimeoutNs = 5'000'000'000;

std::string NoResult(const std::optional<request::WrittenTrace>&) { return reply::Empty(); }

// True for calls that change the session.
bool Controls(std::string_view member) {
  return member == "InitializeTracing" || member == "StartTracing" || member == "StopTracing" ||
         member == "TerminateTracing" || member == "TakeSnapshot";
}

// Returns an error unless `fd` is a file, pipe or socket that is open for writing.
util::Status CheckDescriptor(int fd) {
  struct stat status = {};
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fstat(fd, &status) != 0) {
    return util::Error{fmt::format("the descriptor cannot be used: {}", strerror(errno)), ""};
  }
  const bool writable = (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0;
  const bool takes_bytes =
      S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  if (writable && takes_bytes) return util::Ok();
  return util::Error{"the descriptor is not a file, pipe or socket open for writing", ""};
}

}  // namespace

Server::Server(ControlSocket& socket, Controller& controller, Engine& engine,
               std::optional<gid_t> group, std::string only_watched)
    : socket_(socket),
      controller_(controller),
      engine_(engine),
      provider_calls_(engine),
      group_(group),
      only_watched_(std::move(only_watched)) {
  controller_.OnState([this](SessionState state) { NotifyState(state); });
}

Server::~Server() {
  controller_.OnState(nullptr);
  for (const Client& client : clients_) provider_calls_.Forget(*client);
}

void Server::AddPollFds(std::vector<pollfd>& fds) {
  first_fd_ = fds.size();
  fds.push_back({socket_.fd(), POLLIN, 0});
  polled_clients_ = clients_.size();
  for (const Client& client : clients_) fds.push_back(client->Polled());
  polled_openings_ = openings_.size();
  for (const Opening& opening : openings_) fds.push_back({opening.process.fd(), POLLIN, 0});
  polled_processes_.clear();
  for (const Client& client : clients_) {
    if (client->provider_id == 0) continue;
    polled_processes_.push_back(client);
    fds.push_back({client->peer().process->fd(), POLLIN, 0});
  }
}

std::optional<uint64_t> Server::deadline() const {
  std::optional<uint64_t> first = controller_.deadline();
  const auto add = [&first](std::optional<uint64_t> time) {
    if (time && (!first || *time < *first)) first = time;
  };
  for (const Client& client : clients_) {
    add(client->has_message() ? std::optional<uint64_t>(0) : client->deadline());
  }
  for (const Opening& opening : openings_) add(opening.deadline);
  return first;
}

void Server::Turn(const std::vector<pollfd>& fds, uint64_t now) {
  controller_.Tick(now);
  TurnOpenings(fds, now);
  // Handles one call of each client, so that no client starves the others.
  for (size_t i = 0; i < polled_clients_; ++i) {
    const Client client = clients_[i];
    client->Turn(fds[first_fd_ + 1 + i].revents, now);
    if (const auto message = client->NextMessage(now)) Handle(client, *message, now);
  }
  // A provider's connection ends with its process, even if another process holds the socket.
  const size_t first_process = first_fd_ + 1 + polled_clients_ + polled_openings_;
  for (size_t i = 0; i < polled_processes_.size(); ++i) {
    if (fds[first_process + i].revents != 0) polled_processes_[i]->CloseNow();
  }
  polled_processes_.clear();
  std::erase_if(clients_, [this](const Client& client) {
    const bool over = client->over();
    if (over) provider_calls_.Forget(*client);
    return over;
  });
  if ((fds[first_fd_].revents & POLLIN) != 0) Accept();
  polled_clients_ = polled_openings_ = 0;
  Reap();
}

void Server::TurnOpenings(const std::vector<pollfd>& fds, uint64_t now) {
  std::vector<Opening> open = std::exchange(openings_, {});
  for (size_t i = 0; i < open.size(); ++i) {
    Opening& opening = open[i];
    const bool ready =
        i < polled_openings_ && fds[first_fd_ + 1 + polled_clients_ + i].revents != 0;
    const bool late = now >= opening.deadline;
    const auto client = opening.client.lock();
    if (!ready && !late && client) {
      openings_.push_back(std::move(opening));
      continue;
    }
    unreaped_.push_back(opening.process.pid());
    if (!client) continue;
    if (!ready) {
      opening.ready(
          util::Error{fmt::format("cannot write {}: opening it takes too long", opening.name), ""});
      continue;
    }
    auto file = opening.process.Finish();
    if (!file) {
      opening.ready(file.TakeError());
    } else {
      opening.ready(
          std::optional(TraceOutput{std::move(*file), opening.name, opening.gzip, client->peer()}));
    }
  }
}

void Server::Reap() {
  std::erase_if(unreaped_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

size_t Server::clients() const {
  return static_cast<size_t>(
      std::count_if(clients_.begin(), clients_.end(),
                    [](const Client& client) { return client->provider_id == 0; }));
}

bool Server::HasPlace(const Peer& peer) const {
  // Providers are counted elsewhere.
  size_t clients = 0;
  size_t of_user = 0;
  for (const Client& client : clients_) {
    if (client->provider_id != 0) continue;
    ++clients;
    if (client->peer().uid == peer.uid) ++of_user;
  }
  if (peer.uid == 0) return clients < kMaxClients + kPlacesForRoot;
  return clients < kMaxClients && of_user < kMaxClientsOfUser;
}

void Server::Accept() {
  // Bounded, so that many new connections do not starve the clients.
  for (size_t i = 0; i < kMaxClientsOfUser; ++i) {
    util::UniqueFd fd(accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    auto peer = Peer::Of(fd.get());
    if (!peer || !HasPlace(*peer)) continue;
    const bool allowed = peer->MayControl(group_);
    auto client = std::make_shared<Connection>(std::move(fd), std::move(*peer));
    if (!allowed) {
      client->Send(reply::PermissionDenied("only root and the group of the socket may control"));
      continue;
    }
    clients_.push_back(std::move(client));
  }
}

void Server::Answer(const Client& client, bool oneway, const std::string& message) {
  if (!oneway) client->Send(message);
  client->set_busy(false);
}

Done Server::Answering(const Client& client, bool oneway,
                       std::string (*result)(const std::optional<request::WrittenTrace>&)) {
  client->set_busy(true);
  return [weak = std::weak_ptr(client), oneway, result](const Outcome& outcome) {
    const auto there = weak.lock();
    if (!there) return;
    Answer(there, oneway,
           outcome.failure ? reply::Error(*outcome.failure) : result(outcome.written));
  };
}

void Server::Handle(const Client& client, const std::string& message, uint64_t now) {
  auto call = Call::Parse(message);
  // Sends no reply, because the client speaks another protocol.
  if (!call) return client->CloseNow();
  client->set_busy(true);
  if (call->upgrade()) {
    Answer(client, false, reply::ServiceError("MethodNotImplemented", "method", call->method()));
  } else if (call->interface() == kServiceInterface) {
    HandleService(client, *call);
  } else if (call->interface() == kControllerInterface) {
    HandleController(client, *call, now);
  } else {
    Answer(client, call->oneway(),
           reply::ServiceError("InterfaceNotFound", "interface", call->interface()));
  }
  client->ForgetDescriptors();
}

void Server::HandleService(const Client& client, const Call& call) {
  if (call.member() == "GetInfo") return Answer(client, call.oneway(), reply::Info());
  if (call.member() != "GetInterfaceDescription") {
    return Answer(client, call.oneway(),
                  reply::ServiceError("MethodNotFound", "method", call.method()));
  }
  const auto wanted = call.ReadInterface();
  if (wanted.bad) return Answer(client, call.oneway(), reply::InvalidParameter(*wanted.bad));
  const std::string_view text = DescribeInterface(wanted.value);
  Answer(client, call.oneway(),
         text.empty() ? reply::ServiceError("InterfaceNotFound", "interface", wanted.value)
                      : reply::Description(text));
}

void Server::HandleController(const Client& client, Call& call, uint64_t now) {
  const std::string_view member = call.member();
  const bool oneway = call.oneway();
  const auto refuse = [&](const BadParameter& bad) {
    Answer(client, oneway, reply::InvalidParameter(bad));
  };
  if (!only_watched_.empty() && Controls(member)) {
    return Answer(client, oneway, reply::Error(Failure{error_name::kNotSupported, only_watched_}));
  }
  if (member == "InitializeTracing") return Initialize(client, call, now);
  if (member == "StartTracing") {
    const auto read = call.ReadStart();
    if (read.bad) return refuse(*read.bad);
    return controller_.Start(read.value, now, Answering(client, oneway, NoResult));
  }
  if (member == "StopTracing" || member == "TerminateTracing") {
    const auto read = call.ReadEnd();
    if (read.bad) return refuse(*read.bad);
    const bool stop = member == "StopTracing";
    const Done done = Answering(client, oneway, stop ? reply::Result : reply::TerminateResult);
    const bool may_write = read.value.write_results &&
                           (stop ? controller_.MayStopWrite() : controller_.MayTerminateWrite());
    return WithOutput(client, may_write ? read.value.output : std::nullopt, now,
                      [this, stop, write = read.value.write_results, done](auto output) {
                        if (!output)
                          return done({Failure{error_name::kFailed, output.error().message,
                                               output.error().hint}});
                        if (stop) return controller_.Stop(write, std::move(*output), done);
                        controller_.Terminate(write, std::move(*output), done);
                      });
  }
  if (member == "TakeSnapshot") {
    const auto read = call.ReadSnapshot();
    if (read.bad) return refuse(*read.bad);
    const Done done = Answering(client, oneway, reply::Result);
    if (!controller_.MaySnapshotWrite()) {
      return controller_.TakeSnapshot(std::nullopt, read.value.last_nanoseconds, done);
    }
    return WithOutput(client, read.value.output, now,
                      [this, last = read.value.last_nanoseconds, done](auto output) {
                        if (!output)
                          return done({Failure{error_name::kFailed, output.error().message,
                                               output.error().hint}});
                        controller_.TakeSnapshot(std::move(*output), last, done);
                      });
  }
  if (member == "SendAlert") {
    const auto read = call.ReadAlert();
    if (read.bad) return refuse(*read.bad);
    const auto failure = controller_.SendAlert(read.value);
    Answer(client, oneway, failure ? reply::Error(*failure) : reply::Empty());
    if (!failure) NotifyAlert(read.value);
    return;
  }
  if (provider_calls_.Handle(client, call)) return;
  // The remaining calls have no parameters.
  const auto nothing = call.ReadNothing();
  if (nothing.bad) return refuse(*nothing.bad);
  if (member == "WatchAlert") return WatchAlert(client, call);
  if (member == "WatchSessionState") {
    client->watches_state = call.more() && !oneway;
    if (!client->watches_state)
      return Answer(client, oneway, reply::State(controller_.state(), false));
    return client->Send(reply::State(controller_.state(), true));
  }
  if (member == "GetKnownCategories") {
    return Answer(client, oneway, reply::Categories(engine_.KnownCategories()));
  }
  if (member == "GetProviders") {
    return Answer(client, oneway, reply::Providers(engine_.Providers()));
  }
  if (member == "GetStatus") {
    return controller_.GetStatus([weak = std::weak_ptr(client), oneway](const Status& status) {
      if (const auto there = weak.lock()) Answer(there, oneway, reply::StatusReport(status));
    });
  }
  Answer(client, oneway, reply::ServiceError("MethodNotFound", "method", call.method()));
}

void Server::Initialize(const Client& client, const Call& call, uint64_t now) {
  const bool oneway = call.oneway();
  auto read = call.ReadInitialize();
  if (read.bad) {
    // Fuchsia's interface: "A bad request will terminate the connection."
    Answer(client, oneway, reply::InvalidParameter(*read.bad));
    return client->CloseAfterwards();
  }
  // Refused for other users, because the controller would place probes with its own rights.
  if (const uid_t uid = client->peer().uid;
      read.value.config.sources.probes() && uid != 0 && uid != geteuid()) {
    return Answer(client, oneway,
                  reply::PermissionDenied("only root may place probes in programs and the kernel"));
  }
  if (const uid_t uid = client->peer().uid;
      !read.value.config.sources.request_names.empty() && uid != 0 && uid != geteuid()) {
    return Answer(client, oneway,
                  reply::PermissionDenied("only root may name requests by their payload"));
  }
  // Creates no file if the call fails anyway.
  if (controller_.state() != SessionState::kReady) {
    return controller_.Initialize({}, {}, Answering(client, oneway, NoResult));
  }
  const Done done = Answering(client, oneway, NoResult);
  WithOutput(client, read.value.output, now, [this, config = read.value.config, done](auto output) {
    if (!output)
      return done({Failure{error_name::kFailed, output.error().message, output.error().hint}});
    controller_.Initialize(config, std::move(*output), done);
  });
}

void Server::WithOutput(const Client& client, const std::optional<OutputChoice>& choice,
                        uint64_t now, OutputReady ready) {
  if (!choice) return ready(std::optional<TraceOutput>());
  if (choice->descriptor) {
    auto& descriptors = client->descriptors();
    if (*choice->descriptor >= descriptors.size() || !descriptors[*choice->descriptor]) {
      return ready(util::Error{"the call has no such descriptor", ""});
    }
    util::UniqueFd fd = std::move(descriptors[*choice->descriptor]);
    if (auto status = CheckDescriptor(fd.get()); !status) return ready(status.TakeError());
    return ready(std::optional(
        TraceOutput{std::move(fd), std::string(kPassedOutputName), choice->gzip, client->peer()}));
  }
  auto process = OpenAs::Begin(client->peer(), choice->path);
  if (!process) return ready(process.TakeError());
  openings_.push_back({std::move(*process), client, now + kOpenTimeoutNs, choice->path,
                       choice->gzip, std::move(ready)});
}

void Server::WatchAlert(const Client& client, const Call& call) {
  if (call.oneway()) return Answer(client, true, "");
  client->keeps_alerts = true;
  client->watches_alerts = call.more() ? Connection::Watch::kAll : Connection::Watch::kOne;
  // Alerts since the last call.
  while (!client->alerts.empty() && client->watches_alerts != Connection::Watch::kNo) {
    const std::string name = std::move(client->alerts.front());
    client->alerts.pop_front();
    if (call.more()) {
      client->Send(reply::Alert(name, true));
    } else {
      client->watches_alerts = Connection::Watch::kNo;
      Answer(client, false, reply::Alert(name, false));
    }
  }
}

void Server::NotifyAlert(const std::string& name) {
  for (const Client& client : clients_) {
    if (client->watches_alerts == Connection::Watch::kAll) {
      client->Send(reply::Alert(name, true));
    } else if (client->watches_alerts == Connection::Watch::kOne) {
      client->watches_alerts = Connection::Watch::kNo;
      Answer(client, false, reply::Alert(name, false));
    } else if (client->keeps_alerts) {
      if (client->alerts.size() == Connection::kMaxAlerts) client->alerts.pop_front();
      client->alerts.push_back(name);
    }
  }
}

void Server::NotifyState(SessionState state) {
  for (const Client& client : clients_) {
    if (client->watches_state) client->Send(reply::State(state, true));
  }
}

}  // namespace control
