// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "export/clickhouse/host_address.h"
#include "http/message_parser.h"

namespace exporting {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPiece = size_t{64} << 10;

// Whether a socket is ready for one of `events` before the deadline; else errno says why not.
bool WaitFor(int fd, short events, Clock::time_point deadline, short& ready) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd one = {.fd = fd, .events = events, .revents = 0};
    const int found = poll(&one, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000)));
    ready = one.revents;
    if (found > 0) return true;
    if (found == 0 && left <= 0) errno = ETIMEDOUT;
    if (found == 0 ? left <= 0 : errno != EINTR) return false;
  }
}

bool WouldWait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// Connects; false with errno.
bool Connect(const std::string& address, uint16_t port, Clock::time_point deadline,
             util::UniqueFd& fd) {
  sockaddr_in four = {};
  sockaddr_in6 six = {};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(port);
  const bool is_six = inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1;
  if (!is_six && inet_pton(AF_INET, address.c_str(), &four.sin_addr) != 1) {
    errno = EINVAL;
    return false;
  }
  fd.reset(socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return false;
  const int begun = is_six
                        ? connect(fd.get(), reinterpret_cast<const sockaddr*>(&six), sizeof six)
                        : connect(fd.get(), reinterpret_cast<const sockaddr*>(&four), sizeof four);
  if (begun == 0) return true;
  if (errno != EINPROGRESS) return false;
  short ready = 0;
  if (!WaitFor(fd.get(), POLLOUT, deadline, ready)) return false;
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) return false;
  errno = error;
  return error == 0;
}

// Sends both, as long as the server listens: one that answers before it has all wants no more.
bool SendAll(int fd, std::string_view head, std::string_view body, Clock::time_point deadline,
             bool& all) {
  all = false;
  while (!head.empty() || !body.empty()) {
    short ready = 0;
    if (!WaitFor(fd, POLLIN | POLLOUT, deadline, ready)) return false;
    if ((ready & POLLIN) != 0) return true;
    std::array<iovec, 2> parts = {{{const_cast<char*>(head.data()), head.size()},
                                   {const_cast<char*>(body.data()), body.size()}}};
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && !WouldWait()) return false;
    const size_t bytes = static_cast<size_t>(std::max<ssize_t>(sent, 0));
    const size_t of_head = std::min(bytes, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(bytes - of_head);
  }
  all = true;
  return true;
}

// A server says goodbye between two requests, or says what nobody asked for.
bool IsQuiet(int fd) {
  char byte = 0;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && WouldWait();
}

std::string RequestHead(const ServerUrl& server, std::string_view target, size_t body_bytes) {
  std::string head = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: fxt\r\n", target,
                                 server.Authority());
  if (!server.user.empty()) head += fmt::format("X-ClickHouse-User: {}\r\n", server.user);
  if (!server.password.empty()) head += fmt::format("X-ClickHouse-Key: {}\r\n", server.password);
  return head + fmt::format("Content-Length: {}\r\n\r\n", body_bytes);
}

}  // namespace

HttpClient::HttpClient(ServerUrl server) : server_(std::move(server)) {}

util::Result<HttpReply> HttpClient::Post(std::string_view target, std::string_view body,
                                         std::chrono::seconds patience) {
  const auto failed = [&](std::string_view what, std::string_view why) {
    connection_.reset();
    return util::Error{fmt::format("{}: cannot {}: {}", server_.Shown(), what, why), ""};
  };
  // Attribution of errno.
  const auto failed_at = [&](std::string_view what) {
    if (errno == ETIMEDOUT)
      return failed(what, fmt::format("no answer within {} s", patience.count()));
    return failed(what, std::strerror(errno));
  };
  if (!connection_ || !IsQuiet(connection_.get())) {
    auto address = AddressOf(server_.host);
    if (!address) return address.TakeError();
    const auto port = static_cast<uint16_t>(std::stoul(server_.port));
    if (!Connect(*address, port, Clock::now() + patience, connection_)) return failed_at("connect");
  }
  const std::string head = RequestHead(server_, target, body.size());
  bool all = false;
  if (!SendAll(connection_.get(), head, body, Clock::now() + patience, all)) {
    return failed_at("send");
  }

  constexpr std::string_view kReading = "read the answer";
  http::MessageParser answer(http::MessageParser::Of::kResponse, {.body_bytes = kMaxReply});
  std::vector<char> piece(kPiece);
  const auto deadline = Clock::now() + patience;
  while (!answer.is_done()) {
    short ready = 0;
    if (!WaitFor(connection_.get(), POLLIN, deadline, ready)) return failed_at(kReading);
    const ssize_t got = recv(connection_.get(), piece.data(), piece.size(), 0);
    if (got < 0 && WouldWait()) continue;
    if (got < 0) return failed_at(kReading);
    const auto taken =
        got == 0 ? answer.End() : answer.Add({piece.data(), static_cast<size_t>(got)});
    if (!taken) return failed(kReading, taken.error().message);
  }
  if (!all || !answer.keeps_alive()) connection_.reset();
  return HttpReply{.status = answer.message().status, .body = std::move(answer.message().body)};
}

}  // namespace exporting
