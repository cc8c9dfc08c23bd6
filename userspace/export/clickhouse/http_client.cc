// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/http_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "export/clickhouse/host_address.h"

namespace exporting {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// The head of an answer, and the line before one chunk of its body.
constexpr size_t kMaxHead = size_t{16} << 10;
constexpr size_t kReadBuffer = size_t{64} << 10;

// Interim answers precede the answer proper. After 101 the connection no longer speaks HTTP.
bool IsInterim(unsigned status) { return status >= 100 && status < 200 && status != 101; }

}  // namespace

struct HttpClient::Connection {
  // Idle servers may close the connection, or send what no request asked for.
  bool IsReusable() {
    char byte = 0;
    return recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  // Executes one completion handler; false at the deadline.
  bool RunOne(Clock::time_point deadline) {
    context.restart();
    return context.run_one_until(deadline) != 0;
  }

  // Destroyed last: that drops the handlers of operations that were not completed.
  asio::io_context context{1};
  asio::ip::tcp::socket socket{context};
  beast::flat_buffer buffer{kReadBuffer};
};

HttpClient::HttpClient(ServerUrl server) : server_(std::move(server)) {}
HttpClient::~HttpClient() = default;

util::Result<HttpReply> HttpClient::Post(std::string_view target, std::string_view body,
                                         std::chrono::seconds timeout) {
  const auto failed = [&](std::string_view what, const std::optional<error_code>& error) {
    connection_.reset();
    const std::string why =
        error ? error->message() : fmt::format("no answer within {} s", timeout.count());
    return util::Error{fmt::format("{}: cannot {}: {}", server_.Shown(), what, why), ""};
  };

  if (!connection_ || !connection_->IsReusable()) {
    auto address = AddressOf(server_.host);
    if (!address) return address.TakeError();
    connection_ = std::make_unique<Connection>();
    std::optional<error_code> connected;
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(*address),
                                           static_cast<uint16_t>(std::stoul(server_.port)));
    connection_->socket.async_connect(endpoint, [&](error_code error) { connected = error; });
    connection_->RunOne(Clock::now() + timeout);
    if (!connected || *connected) return failed("connect", connected);
  }
  Connection& connection = *connection_;

  using Body = beast::http::span_body<const char>;
  beast::http::request<Body> request(beast::http::verb::post, {target.data(), target.size()}, 11);
  request.set(beast::http::field::host, server_.Authority());
  request.set(beast::http::field::user_agent, "fxt");
  if (!server_.user.empty()) request.set("X-ClickHouse-User", server_.user);
  if (!server_.password.empty()) request.set("X-ClickHouse-Key", server_.password);
  request.body() = {body.data(), body.size()};
  request.prepare_payload();

  // The client reads while it sends: a server may answer before it has the whole request.
  auto deadline = Clock::now() + timeout;
  std::optional<error_code> sent;
  beast::http::async_write(connection.socket, request, [&](error_code error, size_t /*bytes*/) {
    sent = error;
    deadline = Clock::now() + timeout;
  });
  std::optional<error_code> received;
  std::optional<beast::http::response_parser<beast::http::string_body>> answer;
  std::function<void()> receive = [&] {
    answer.emplace();
    answer->header_limit(kMaxHead);
    answer->body_limit(kMaxReply);
    beast::http::async_read(connection.socket, connection.buffer, *answer,
                            [&](error_code error, size_t /*bytes*/) {
                              if (!error && IsInterim(answer->get().result_int())) return receive();
                              received = error;
                            });
  };
  receive();
  while (!received && connection.RunOne(deadline)) continue;
  if (!received || *received) {
    const bool is_sent = sent && !*sent;
    return failed(is_sent ? "read the answer" : "send", is_sent || !sent ? received : sent);
  }

  HttpReply reply{.status = answer->get().result_int(), .body = std::move(answer->get().body())};
  if (!sent || *sent || !answer->keep_alive()) connection_.reset();
  return reply;
}

}  // namespace exporting
