// SPDX-License-Identifier: BSD-2-Clause
#include "serve/one_download.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <utility>

#include "serve/peer_user.h"

namespace serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

// From the connection to the whole request: browsers send it at once.
constexpr auto kRequestTimeout = seconds(10);
// For a piece of the file: pages read it in bursts.
constexpr auto kPieceTimeout = seconds(60);
// From the end of the answer until the page closes the connection.
constexpr auto kCloseTimeout = seconds(5);
// No event reports that the other end's kernel acknowledged the file: the server polls.
constexpr auto kPollPeriod = milliseconds(20);
constexpr auto kAcceptRetry = milliseconds(100);
constexpr uint64_t kPiece = uint64_t{256} << 10;
constexpr size_t kMaxHead = size_t{16} << 10;
constexpr size_t kMaxConnections = 32;

}  // namespace

namespace detail {

// The state that all connections share.
struct Offer {
  const DownloadOptions& options;
  util::UniqueFd file;
  uint64_t bytes = 0;
  uint16_t port = 0;
  bool is_taken = false;  // a connection is downloading the file
};

// Answers one request. Handlers keep it alive; it calls `on_end` once, with whether the file
// arrived.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnEnd = std::function<void(Connection&, bool is_downloaded)>;

  Connection(tcp::socket socket, Offer& offer, OnEnd on_end)
      : socket_(std::move(socket)), offer_(offer), on_end_(std::move(on_end)) {
    error_code error;
    const auto peer = PeerUser(socket_.remote_endpoint(error).port(), offer_.port);
    const auto& users = offer_.options.users;
    is_of_other_user_ = !peer || std::find(users.begin(), users.end(), *peer) == users.end();
    request_.header_limit(kMaxHead);
    request_.body_limit(0);
  }

  bool is_of_other_user() const { return is_of_other_user_; }
  bool is_downloading() const { return is_downloading_; }

  void Start() {
    if (is_of_other_user_) return Refuse();
    SetTimeout(kRequestTimeout);
    http::async_read_header(socket_, buffer_, request_,
                            [self = shared_from_this()](error_code error, size_t /*bytes*/) {
                              self->OnRequest(error);
                            });
  }

  // Closes the connection and calls `on_end` unless that was done before.
  void End(bool is_downloaded) {
    if (!on_end_) return;
    if (is_downloading_ && !is_downloaded) offer_.is_taken = false;
    error_code ignored;
    socket_.close(ignored);
    timeout_.cancel();
    poll_.cancel();
    std::exchange(on_end_, nullptr)(*this, is_downloaded);
  }

 private:
  void SetTimeout(std::chrono::steady_clock::duration timeout) {
    timeout_.expires_after(timeout);
    timeout_.async_wait([self = shared_from_this()](error_code error) {
      // A wait may have ended just before the timeout was set again.
      if (error || self->timeout_.expiry() > std::chrono::steady_clock::now()) return;
      self->End(self->is_acknowledged_);
    });
  }

  void OnRequest(error_code error) {
    // Beast reports malformed requests; other errors mean that the connection ended.
    const bool is_closed = error == http::error::end_of_stream ||
                           error == http::error::partial_message ||
                           error.category() == asio::error::get_system_category();
    if (error && is_closed) return End(false);
    if (error) return Respond(NewResponse(http::status::bad_request));
    const auto& request = request_.get();
    if (!HasValidOrigin(request)) return Refuse();
    const auto respond = [&](http::status status, auto&&... fields) {
      Response response = NewResponse(status);
      response.set(http::field::access_control_allow_origin, offer_.options.origin);
      (response.set(fields.first, fields.second), ...);
      Respond(std::move(response));
    };
    using StringField = std::pair<const char*, std::string>;
    if (request.target() != offer_.options.path) return respond(http::status::not_found);
    switch (request.method()) {
      case http::verb::options: {
        // A browser first requests permission for a page of the internet to reach this machine.
        const StringField methods("Access-Control-Allow-Methods", "GET, HEAD");
        if (request.count("Access-Control-Request-Private-Network") == 0) {
          return respond(http::status::no_content, methods);
        }
        return respond(http::status::no_content, methods,
                       StringField("Access-Control-Allow-Private-Network", "true"));
      }
      case http::verb::get:
        if (offer_.is_taken) return respond(http::status::service_unavailable);
        is_downloading_ = offer_.is_taken = true;
        [[fallthrough]];
      case http::verb::head:
        return respond(http::status::ok, StringField("Content-Type", offer_.options.content_type),
                       StringField("Content-Length", std::to_string(offer_.bytes)));
      default:
        return respond(http::status::method_not_allowed,
                       StringField("Allow", "GET, HEAD, OPTIONS"));
    }
  }

  template <class Request>
  bool HasValidOrigin(const Request& request) const {
    if (request.count(http::field::host) != 1 || request.count(http::field::origin) != 1)
      return false;
    const auto host = request[http::field::host];
    return (host == fmt::format("127.0.0.1:{}", offer_.port) ||
            host == fmt::format("localhost:{}", offer_.port)) &&
           request[http::field::origin] == offer_.options.origin;
  }

  using Response = http::response<http::empty_body>;

  static Response NewResponse(http::status status) {
    Response response(status, 11);
    response.set(http::field::connection, "close");
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set(http::field::vary, "Origin");
    if (status != http::status::no_content) response.set(http::field::content_length, "0");
    return response;
  }

  void Refuse() { Respond(NewResponse(http::status::forbidden)); }

  void Respond(Response response) {
    response_ = std::move(response);
    SetTimeout(is_of_other_user_ ? kCloseTimeout : kPieceTimeout);
    http::async_write(socket_, response_,
                      [self = shared_from_this()](error_code error, size_t /*bytes*/) {
                        if (error) return self->End(false);
                        self->is_downloading_ ? self->SendFile() : self->WaitForClose();
                      });
  }

  // Sends one piece, then lets other connections run.
  void SendFile() {
    const uint64_t piece_end = std::min(sent_ + kPiece, offer_.bytes);
    const uint64_t sent_before = sent_;
    while (sent_ < piece_end) {
      auto offset = static_cast<off_t>(sent_);
      const ssize_t sent =
          sendfile(socket_.native_handle(), offer_.file.get(), &offset, piece_end - sent_);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) break;
      // 0: the file became shorter. The page notices that the end is missing.
      if (sent <= 0) return End(false);
      sent_ += static_cast<uint64_t>(sent);
    }
    if (sent_ > sent_before) SetTimeout(kPieceTimeout);
    if (sent_ == offer_.bytes) return WaitForClose();
    socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code error) {
      error ? self->End(false) : self->SendFile();
    });
  }

  // Closing first would discard what the other end's kernel has not acknowledged.
  void WaitForClose() {
    error_code error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    SetTimeout(is_downloading_ ? seconds(kPieceTimeout) : kCloseTimeout);
    if (is_downloading_) PollAcknowledged();
    DiscardInput();
  }

  void DiscardInput() {
    socket_.async_read_some(asio::buffer(discarded_),
                            [self = shared_from_this()](error_code error, size_t /*bytes*/) {
                              if (!error) return self->DiscardInput();
                              // A reset means that the other end did not read everything.
                              if (error != asio::error::eof) return self->End(false);
                              self->is_closed_by_peer_ = true;
                              if (!self->is_downloading_) return self->End(false);
                              if (self->is_acknowledged_) self->End(true);
                            });
  }

  void PollAcknowledged() {
    int unacknowledged = 0;
    if (ioctl(socket_.native_handle(), SIOCOUTQ, &unacknowledged) != 0) return End(false);
    if (unacknowledged == 0) {
      is_acknowledged_ = true;
      if (is_closed_by_peer_) return End(true);
      return SetTimeout(kCloseTimeout);
    }
    if (unacknowledged != unacknowledged_) SetTimeout(kPieceTimeout);
    unacknowledged_ = unacknowledged;
    poll_.expires_after(kPollPeriod);
    poll_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->PollAcknowledged();
    });
  }

  tcp::socket socket_;
  Offer& offer_;
  OnEnd on_end_;
  asio::steady_timer timeout_{socket_.get_executor()};
  asio::steady_timer poll_{socket_.get_executor()};
  boost::beast::flat_buffer buffer_{kMaxHead};
  http::request_parser<http::empty_body> request_;
  Response response_;
  std::array<char, 4096> discarded_;
  uint64_t sent_ = 0;
  int unacknowledged_ = 0;
  bool is_of_other_user_ = false;
  bool is_downloading_ = false;
  bool is_acknowledged_ = false;  // the other end's kernel has the whole file
  bool is_closed_by_peer_ = false;
};

}  // namespace detail

class OneDownload::Server {
 public:
  Server(DownloadOptions options, util::UniqueFd file, uint64_t bytes)
      : options_(std::move(options)),
        offer_{.options = options_, .file = std::move(file), .bytes = bytes} {}

  util::Status Open() {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), options_.port);
    error_code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) offer_.port = acceptor_.local_endpoint(error).port();
    if (!error) return util::Ok();
    if (error == asio::error::address_in_use) {
      return util::Error{
          fmt::format("port {} of 127.0.0.1 is used by another program", options_.port),
          fmt::format("`ss -ltnp sport = :{}` shows which one; it may be another `fxt open`",
                      options_.port)};
    }
    return util::Error{
        fmt::format("cannot listen on 127.0.0.1:{}: {}", options_.port, error.message()), ""};
  }

  uint16_t port() const { return offer_.port; }
  const std::string& path() const { return options_.path; }

  End Run() {
    asio::signal_set signals(context_, SIGINT, SIGTERM);
    signals.async_wait([this](error_code error, int /*signal*/) {
      if (!error) Stop(End::kInterrupted);
    });
    WaitForDownload();
    Accept();
    context_.run();
    return end_;
  }

 private:
  void Stop(End end) {
    end_ = end;
    context_.stop();
  }

  void WaitForDownload() {
    timeout_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(options_.open_timeout));
    timeout_.async_wait([this](error_code /*error*/) {
      // A download that has begun may take longer.
      offer_.is_taken ? WaitForDownload() : Stop(End::kTimeout);
    });
  }

  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (!error) {
        Add(std::move(socket));
        return Accept();
      }
      // Out of descriptors, for example: an immediate retry would busy-loop.
      accept_retry_.expires_after(kAcceptRetry);
      accept_retry_.async_wait([this](error_code /*error*/) { Accept(); });
    });
  }

  void Add(tcp::socket socket) {
    error_code error;
    socket.native_non_blocking(true, error);
    if (connections_.size() >= kMaxConnections) CloseOldest();
    connections_.push_back(std::make_shared<detail::Connection>(
        std::move(socket), offer_, [this](detail::Connection& connection, bool is_downloaded) {
          if (is_downloaded) Stop(End::kDownloaded);
          std::erase_if(connections_, [&](const auto& one) { return one.get() == &connection; });
        }));
    connections_.back()->Start();
  }

  void CloseOldest() {
    auto oldest = std::find_if(connections_.begin(), connections_.end(),
                               [](const auto& one) { return one->is_of_other_user(); });
    if (oldest == connections_.end()) {
      oldest = std::find_if(connections_.begin(), connections_.end(),
                            [](const auto& one) { return !one->is_downloading(); });
    }
    const std::shared_ptr<detail::Connection> closed = *oldest;
    closed->End(false);
  }

  DownloadOptions options_;
  detail::Offer offer_;
  End end_ = End::kTimeout;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer timeout_{context_};
  asio::steady_timer accept_retry_{context_};
  std::vector<std::shared_ptr<detail::Connection>> connections_;  // oldest first
};

OneDownload::OneDownload(std::unique_ptr<Server> server) : server_(std::move(server)) {}
OneDownload::~OneDownload() = default;

uint16_t OneDownload::port() const { return server_->port(); }
std::string OneDownload::url() const {
  return fmt::format("http://127.0.0.1:{}{}", port(), server_->path());
}
OneDownload::End OneDownload::Run() { return server_->Run(); }

util::Result<std::unique_ptr<OneDownload>> OneDownload::Listen(const DownloadOptions& options,
                                                               util::UniqueFd file) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) {
    return util::Error{fmt::format("cannot read the file: {}", std::strerror(errno)), ""};
  }
  if (!S_ISREG(status.st_mode)) {
    return util::Error{"only a regular file can be served, not a pipe or a device", ""};
  }
  auto server =
      std::make_unique<Server>(options, std::move(file), static_cast<uint64_t>(status.st_size));
  if (auto opened = server->Open(); !opened) return opened.TakeError();
  return std::unique_ptr<OneDownload>(new OneDownload(std::move(server)));
}

}  // namespace serve
