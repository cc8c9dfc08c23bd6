// SPDX-License-Identifier: BSD-2-Clause
#include "serve/one_download.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "http/message_parser.h"
#include "serve/interrupt.h"
#include "serve/peer_user.h"

namespace serve {
namespace {

using Clock = std::chrono::steady_clock;
using http::Message;

// From a connection to its whole request: browsers say at once what they want.
constexpr auto kRequestTime = std::chrono::seconds(10);
// Of a piece of the file: pages that are being loaded take it in bursts.
constexpr auto kStep = std::chrono::seconds(60);
// Whoever has it all may take so long to say goodbye.
constexpr auto kLinger = std::chrono::seconds(5);
// What is on its way to the other end is asked for so often; no event tells.
constexpr auto kLook = std::chrono::milliseconds(20);
constexpr uint64_t kPiece = uint64_t{256} << 10;
constexpr size_t kConnections = 32;

bool WouldWait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// What connections share.
struct Offer {
  const DownloadOptions& options;
  int file = -1;
  uint64_t bytes = 0;
  uint16_t port = 0;
  bool taken = false;  // it is being downloaded
};

class Connection {
 public:
  enum class Phase : uint8_t { kRequest, kHead, kFile, kGoodbye, kOver, kDownloaded };

  Connection(util::UniqueFd fd, uint16_t peer_port, Offer& offer)
      : fd_(std::move(fd)), offer_(offer), is_strangers_(IsStranger(peer_port, offer)) {
    // Whatever it asks for.
    if (is_strangers_) Refuse();
  }
  ~Connection() {
    // It was not all: someone may try again.
    if (with_file_ && phase_ != Phase::kDownloaded) offer_.taken = false;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Phase phase() const { return phase_; }
  // Of a program of a user who is not answered.
  bool is_strangers() const { return is_strangers_; }
  // It takes the file.
  bool with_file() const { return with_file_; }
  pollfd wanted() const {
    const bool writes = phase_ == Phase::kHead || phase_ == Phase::kFile;
    // An end that is closed would be told of again and again.
    return {.fd = peer_closed_ ? -1 : fd_.get(),
            .events = static_cast<short>(writes ? POLLOUT : POLLIN),
            .revents = 0};
  }
  // When it goes on without an event.
  Clock::time_point wakes() const {
    const bool looks = phase_ == Phase::kGoodbye && with_file_ && !arrived_;
    return looks ? std::min(deadline_, Clock::now() + kLook) : deadline_;
  }

  // As far as it goes without waiting.
  void Go() {
    if (phase_ == Phase::kRequest) Read();
    if (phase_ == Phase::kHead) SendHead();
    if (phase_ == Phase::kFile) SendFile();
    if (phase_ == Phase::kGoodbye) WaitForGoodbye();
    const bool going = phase_ != Phase::kOver && phase_ != Phase::kDownloaded;
    if (!going || Clock::now() < deadline_) return;
    phase_ =
        phase_ == Phase::kGoodbye && with_file_ && arrived_ ? Phase::kDownloaded : Phase::kOver;
  }

 private:
  void Begin(Phase phase, Clock::duration patience) {
    phase_ = phase;
    deadline_ = Clock::now() + patience;
  }

  void Read() {
    std::array<char, 4096> piece;
    while (phase_ == Phase::kRequest) {
      const ssize_t got = recv(fd_.get(), piece.data(), piece.size(), 0);
      if (got < 0 && WouldWait()) return;
      if (got <= 0) return Begin(Phase::kOver, {});
      const auto read = request_.Add({piece.data(), static_cast<size_t>(got)});
      if (request_.has_head()) return Answer();
      // No request, one that is too long, or one with something behind it.
      if (!read) return Respond("400 Bad Request", "Content-Length: 0\r\n");
    }
  }

  static bool IsStranger(uint16_t peer_port, const Offer& offer) {
    const auto user = PeerUser(peer_port, offer.port);
    const auto& users = offer.options.users;
    return !user || std::find(users.begin(), users.end(), *user) == users.end();
  }

  bool IsForUs(const Message& request) const {
    if (request.Count("Host") != 1 || request.Count("Origin") != 1) return false;
    const std::string_view host = request.ValueOf("Host");
    return (host == fmt::format("127.0.0.1:{}", offer_.port) ||
            host == fmt::format("localhost:{}", offer_.port)) &&
           request.ValueOf("Origin") == offer_.options.origin;
  }

  void Answer() {
    const Message& request = request_.message();
    if (!IsForUs(request)) return Refuse();
    const std::string known =
        fmt::format("Access-Control-Allow-Origin: {}\r\n", offer_.options.origin);
    const auto refuse = [&](std::string_view status, std::string_view fields = "") {
      Respond(status, fmt::format("{}{}Content-Length: 0\r\n", known, fields));
    };
    if (request.target != offer_.options.path) return refuse("404 Not Found");
    // A browser asks first whether a page of the internet may reach this machine.
    if (request.method == "OPTIONS") {
      const bool asks = request.Count("Access-Control-Request-Private-Network") != 0;
      return Respond("204 No Content",
                     fmt::format("{}Access-Control-Allow-Methods: GET, HEAD\r\n{}", known,
                                 asks ? "Access-Control-Allow-Private-Network: true\r\n" : ""));
    }
    if (request.method != "GET" && request.method != "HEAD") {
      return refuse("405 Method Not Allowed", "Allow: GET, HEAD, OPTIONS\r\n");
    }
    if (request.method == "GET") {
      if (offer_.taken) return refuse("503 Service Unavailable");
      with_file_ = offer_.taken = true;
    }
    Respond("200 OK", fmt::format("{}Content-Type: {}\r\nContent-Length: {}\r\n", known,
                                  offer_.options.content_type, offer_.bytes));
  }

  void Refuse() { Respond("403 Forbidden", "Content-Length: 0\r\n"); }

  void Respond(std::string_view status, std::string_view fields) {
    head_ = fmt::format(
        "HTTP/1.1 {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nVary: Origin\r\n{}\r\n",
        status, fields);
    Begin(Phase::kHead, kStep);
  }

  void SendHead() {
    while (!head_.empty()) {
      const ssize_t sent = send(fd_.get(), head_.data(), head_.size(), MSG_NOSIGNAL);
      if (sent < 0 && WouldWait()) return;
      if (sent < 0) return Begin(Phase::kOver, {});
      head_.erase(0, static_cast<size_t>(sent));
    }
    if (with_file_) return Begin(Phase::kFile, kStep);
    Finish();
  }

  void SendFile() {
    // Other connections have their turn in between.
    const uint64_t piece_end = std::min(sent_ - sent_ % kPiece + kPiece, offer_.bytes);
    while (sent_ < piece_end) {
      auto at = static_cast<off_t>(sent_);
      const ssize_t sent = sendfile(fd_.get(), offer_.file, &at, piece_end - sent_);
      if (sent < 0 && WouldWait()) return;
      // A file that became shorter: the page sees that the end is missing.
      if (sent <= 0) return Begin(Phase::kOver, {});
      sent_ += static_cast<uint64_t>(sent);
    }
    if (sent_ < offer_.bytes) return Begin(Phase::kFile, kStep);
    Finish();
  }

  // Then the other end has its turn to close: what is on its way would be thrown away.
  void Finish() {
    shutdown(fd_.get(), SHUT_WR);
    Begin(Phase::kGoodbye, with_file_ ? kStep : kLinger);
  }

  void WaitForGoodbye() {
    std::array<char, 4096> rest;
    // Somebody who sends without end is not listened to without end.
    for (int i = 0; i < 16 && !peer_closed_; ++i) {
      const ssize_t got = recv(fd_.get(), rest.data(), rest.size(), 0);
      if (got < 0 && WouldWait()) break;
      // A reset: of what was sent something was not read.
      if (got < 0) return Begin(Phase::kOver, {});
      peer_closed_ = got == 0;
    }
    if (!with_file_) {
      if (peer_closed_) Begin(Phase::kOver, {});
      return;
    }
    if (!arrived_) {
      int under_way = 0;
      if (ioctl(fd_.get(), SIOCOUTQ, &under_way) != 0) return Begin(Phase::kOver, {});
      if (under_way == 0) {
        arrived_ = true;
        Begin(Phase::kGoodbye, kLinger);
      } else if (under_way != under_way_) {
        under_way_ = under_way;
        Begin(Phase::kGoodbye, kStep);
      }
    }
    if (arrived_ && peer_closed_) Begin(Phase::kDownloaded, {});
  }

  util::UniqueFd fd_;
  Offer& offer_;
  Phase phase_ = Phase::kRequest;
  Clock::time_point deadline_ = Clock::now() + kRequestTime;
  http::MessageParser request_{http::MessageParser::Of::kRequest, {}};
  std::string head_;
  uint64_t sent_ = 0;
  int under_way_ = 0;  // bytes that the other end's kernel has not acknowledged
  bool with_file_ = false;
  bool is_strangers_;
  bool arrived_ = false;      // all of it is in the other end's kernel
  bool peer_closed_ = false;  // nothing comes from there any more
};

class Server final : public OneDownload {
 public:
  Server(const DownloadOptions& options, util::UniqueFd file, uint64_t bytes)
      : options_(options), file_(std::move(file)) {
    offer_.file = file_.get();
    offer_.bytes = bytes;
  }

  util::Status Open() {
    sockaddr_in here = {};
    here.sin_family = AF_INET;
    here.sin_port = htons(options_.port);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = reinterpret_cast<sockaddr*>(&here);
    socklen_t length = sizeof here;
    const int reuse = 1;
    listener_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (listener_ &&
        setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0 &&
        bind(listener_.get(), address, length) == 0 && listen(listener_.get(), SOMAXCONN) == 0 &&
        getsockname(listener_.get(), address, &length) == 0) {
      offer_.port = ntohs(here.sin_port);
      return util::Ok();
    }
    if (errno == EADDRINUSE) {
      return util::Error{
          fmt::format("port {} of 127.0.0.1 is used by another program", options_.port),
          fmt::format("another `fxt open` may be waiting; `ss -ltnp sport = :{}` tells who it is",
                      options_.port)};
    }
    return util::Error{
        fmt::format("cannot listen on 127.0.0.1:{}: {}", options_.port, std::strerror(errno)), ""};
  }

  uint16_t port() const override { return offer_.port; }
  const std::string& path() const override { return options_.path; }

  End Run() override {
    const Interrupt interrupt;
    auto gives_up = Clock::now() + options_.patience;
    for (;;) {
      const bool accepts = Clock::now() >= accepts_from_;
      auto wakes = accepts ? gives_up : std::min(gives_up, accepts_from_);
      std::vector<pollfd> waits = {
          {.fd = interrupt.fd(), .events = POLLIN, .revents = 0},
          {.fd = accepts ? listener_.get() : -1, .events = POLLIN, .revents = 0}};
      for (const auto& connection : connections_) {
        waits.push_back(connection->wanted());
        wakes = std::min(wakes, connection->wakes());
      }
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wakes - Clock::now()).count();
      if (poll(waits.data(), waits.size(), static_cast<int>(std::clamp<int64_t>(wait, 0, 60'000))) <
          0) {
        for (pollfd& one : waits) one.revents = 0;
      }
      if (waits[0].revents != 0) return End::kInterrupted;
      for (const auto& connection : connections_) {
        connection->Go();
        if (connection->phase() == Connection::Phase::kDownloaded) return End::kDownloaded;
      }
      std::erase_if(connections_, [](const auto& connection) {
        return connection->phase() == Connection::Phase::kOver;
      });
      if (waits[1].revents != 0) Accept();
      if (Clock::now() < gives_up) continue;
      // While somebody takes it there is no hurry.
      if (!offer_.taken) return End::kNobodyCame;
      gives_up = Clock::now() + options_.patience;
    }
  }

 private:
  void Accept() {
    sockaddr_in peer = {};
    socklen_t length = sizeof peer;
    util::UniqueFd fd(accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &length,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
    // Out of descriptors: not at once again.
    if (!fd && !WouldWait()) accepts_from_ = Clock::now() + std::chrono::milliseconds(100);
    if (!fd) return;
    if (connections_.size() >= kConnections) MakeRoom();
    connections_.push_back(
        std::make_unique<Connection>(std::move(fd), ntohs(peer.sin_port), offer_));
  }

  // The oldest one goes: a stranger's, or one that has not asked, never the one that takes the
  // file.
  void MakeRoom() {
    auto oldest = std::find_if(connections_.begin(), connections_.end(),
                               [](const auto& one) { return one->is_strangers(); });
    if (oldest == connections_.end()) {
      oldest = std::find_if(connections_.begin(), connections_.end(),
                            [](const auto& one) { return !one->with_file(); });
    }
    connections_.erase(oldest);
  }

  DownloadOptions options_;
  util::UniqueFd file_;
  util::UniqueFd listener_;
  Offer offer_{.options = options_};
  Clock::time_point accepts_from_ = {};
  // Below what they refer to: they go first.
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace

std::string OneDownload::url() const {
  return fmt::format("http://127.0.0.1:{}{}", port(), path());
}

util::Result<std::unique_ptr<OneDownload>> OneDownload::Listen(const DownloadOptions& options,
                                                               util::UniqueFd file) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) {
    return util::Error{fmt::format("cannot read the file: {}", std::strerror(errno)), ""};
  }
  if (!S_ISREG(status.st_mode)) {
    return util::Error{"only a file can be served, no pipe or device", ""};
  }
  auto server =
      std::make_unique<Server>(options, std::move(file), static_cast<uint64_t>(status.st_size));
  if (auto opened = server->Open(); !opened) return opened.TakeError();
  return std::unique_ptr<OneDownload>(std::move(server));
}

}  // namespace serve
