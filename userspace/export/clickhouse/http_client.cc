// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/http_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "export/clickhouse/host_address.h"

namespace exporting {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

struct HttpClient::Connection {
  asio::io_context context;
  beast::tcp_stream stream{context};
  beast::flat_buffer buffer;

  // Lets what was begun come to its end. The stream's own timer ends it if nobody else does.
  void RunOn() {
    context.restart();
    context.run();
  }
};

HttpClient::HttpClient(ServerUrl server) : server_(std::move(server)) {}
HttpClient::~HttpClient() = default;

util::Result<HttpReply> HttpClient::Post(std::string_view target, std::string_view body,
                                         std::chrono::seconds patience) {
  error_code error;
  const auto failed = [&](std::string_view what) {
    connection_.reset();
    const std::string why = error == beast::error::timeout
                                ? fmt::format("no answer within {} s", patience.count())
                                : error.message();
    return util::Error{fmt::format("{}: cannot {}: {}", server_.Shown(), what, why), ""};
  };
  if (!connection_) {
    connection_ = std::make_unique<Connection>();
    auto address = AddressOf(server_.host);
    if (!address) {
      connection_.reset();
      return address.TakeError();
    }
    const auto ip = asio::ip::make_address(*address, error);
    if (error) return failed("find the server");
    const auto port = static_cast<uint16_t>(std::stoul(server_.port));
    connection_->stream.expires_after(patience);
    connection_->stream.async_connect(asio::ip::tcp::endpoint(ip, port),
                                      [&](error_code e) { error = e; });
    connection_->RunOn();
    if (error) return failed("connect");
  }
  // The body stays where it is.
  using Body = http::buffer_body;
  http::request<Body> request{http::verb::post, {target.data(), target.size()}, 11};
  request.set(http::field::host, server_.host);
  request.set(http::field::user_agent, "fxt");
  if (!server_.user.empty()) request.set("X-ClickHouse-User", server_.user);
  if (!server_.password.empty()) request.set("X-ClickHouse-Key", server_.password);
  request.content_length(body.size());
  request.body().data = const_cast<char*>(body.data());  // it is only read
  request.body().size = body.size();
  request.body().more = false;
  http::request_serializer<Body> serializer(request);
  connection_->stream.expires_after(patience);
  http::async_write(connection_->stream, serializer, [&](error_code e, size_t) { error = e; });
  connection_->RunOn();
  if (error) return failed("send");

  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxReply);
  connection_->stream.expires_after(patience);
  http::async_read(connection_->stream, connection_->buffer, parser,
                   [&](error_code e, size_t) { error = e; });
  connection_->RunOn();
  if (error) return failed("read the answer");
  HttpReply reply{.status = parser.get().result_int(), .body = std::move(parser.get().body())};
  if (!parser.get().keep_alive()) connection_.reset();
  return reply;
}

}  // namespace exporting
