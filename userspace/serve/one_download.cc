// SPDX-License-Identifier: BSD-2-Clause
#include "serve/one_download.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "serve/peer_user.h"

namespace serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// Of one step: a request, or a piece of the file. Pages that are being loaded take it in bursts.
constexpr auto kStep = std::chrono::seconds(60);
constexpr size_t kPiece = size_t{256} << 10;
constexpr size_t kHeaderBytes = size_t{16} << 10;
constexpr size_t kConnections = 32;

// What connections share.
struct Shared {
  const DownloadOptions& options;
  int file = -1;
  uint64_t bytes = 0;
  uint16_t port = 0;
  size_t connections = 0;
  bool taken = false;  // it is being downloaded
  std::function<void()> on_downloaded;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {
    ++shared_.connections;
    parser_.header_limit(kHeaderBytes);
    parser_.body_limit(0);
  }
  ~Connection() {
    --shared_.connections;
    // It was not all: someone may try again.
    if (sending_) shared_.taken = false;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Read() {
    stream_.expires_after(kStep);
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](error_code error, size_t) {
                              if (!error) self->Answer();
                            });
  }

 private:
  using Request = http::request<http::empty_body>;

  bool IsForUs(const Request& request) const {
    error_code error;
    const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
    if (error) return false;
    const auto user = PeerUser(peer.port(), shared_.port);
    const auto& users = shared_.options.users;
    if (!user || std::find(users.begin(), users.end(), *user) == users.end()) return false;
    const auto host = request[http::field::host];
    if (request.count(http::field::host) != 1 || request.count(http::field::origin) != 1) {
      return false;
    }
    if (host != fmt::format("127.0.0.1:{}", shared_.port) &&
        host != fmt::format("localhost:{}", shared_.port)) {
      return false;
    }
    return request[http::field::origin] == shared_.options.origin;
  }

  void Answer() {
    const Request& request = parser_.get();
    const bool known = IsForUs(request);
    if (!known) return Refuse(http::status::forbidden, false);
    if (request.target() != shared_.options.path) return Refuse(http::status::not_found, true);
    switch (request.method()) {
      case http::verb::options:
        return Permit(request);
      case http::verb::head:
        return Head(false);
      case http::verb::get:
        if (shared_.taken) return Refuse(http::status::service_unavailable, true);
        return Head(true);
      default:
        return Refuse(http::status::method_not_allowed, true);
    }
  }

  void Begin(http::status status, bool known) {
    response_.version(11);
    response_.result(status);
    response_.keep_alive(false);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set(http::field::vary, "Origin");
    if (known) response_.set(http::field::access_control_allow_origin, shared_.options.origin);
  }

  void Refuse(http::status status, bool known) {
    Begin(status, known);
    if (status == http::status::method_not_allowed) {
      response_.set(http::field::allow, "GET, HEAD, OPTIONS");
    }
    response_.content_length(0);
    Send([](Connection& self) { self.Close(); });
  }

  // A browser asks first whether a page of the internet may reach this machine.
  void Permit(const Request& request) {
    Begin(http::status::no_content, true);
    response_.set(http::field::access_control_allow_methods, "GET, HEAD");
    if (request.count("Access-Control-Request-Private-Network") != 0) {
      response_.set("Access-Control-Allow-Private-Network", "true");
    }
    Send([](Connection& self) { self.Close(); });
  }

  void Head(bool with_file) {
    Begin(http::status::ok, true);
    response_.set(http::field::content_type, shared_.options.content_type);
    response_.content_length(shared_.bytes);
    if (!with_file) return Send([](Connection& self) { self.Close(); });
    sending_ = shared_.taken = true;
    piece_.resize(kPiece);
    Send([](Connection& self) { self.SendPiece(); });
  }

  // The head, with `then` behind it.
  void Send(void (*then)(Connection&)) {
    stream_.expires_after(kStep);
    serializer_.emplace(response_);
    http::async_write_header(stream_, *serializer_,
                             [self = shared_from_this(), then](error_code error, size_t) {
                               if (!error) then(*self);
                             });
  }

  void SendPiece() {
    if (sent_ == shared_.bytes) return Close();
    const size_t wanted = std::min<uint64_t>(piece_.size(), shared_.bytes - sent_);
    const ssize_t got = pread(shared_.file, piece_.data(), wanted, static_cast<off_t>(sent_));
    // A file that became shorter: the page sees that the end is missing.
    if (got <= 0) return;
    stream_.expires_after(kStep);
    asio::async_write(stream_, asio::buffer(piece_.data(), static_cast<size_t>(got)),
                      [self = shared_from_this()](error_code error, size_t bytes) {
                        if (error) return;
                        self->sent_ += bytes;
                        self->SendPiece();
                      });
  }

  // Waits for the other end to close: what is on its way would be thrown away.
  void Close() {
    error_code error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    stream_.expires_after(std::chrono::seconds(5));
    stream_.async_read_some(asio::buffer(rest_), [self = shared_from_this()](error_code, size_t) {
      if (!self->sending_) return;
      self->sending_ = false;
      self->shared_.on_downloaded();
    });
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  beast::flat_buffer buffer_{kHeaderBytes};
  http::request_parser<http::empty_body> parser_;
  http::response<http::empty_body> response_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  std::vector<char> piece_;
  std::array<char, 64> rest_{};
  uint64_t sent_ = 0;
  bool sending_ = false;
};

class Server final : public OneDownload {
 public:
  Server(const DownloadOptions& options, util::UniqueFd file, uint64_t bytes)
      : options_(options), file_(std::move(file)) {
    shared_.file = file_.get();
    shared_.bytes = bytes;
  }

  util::Status Open() {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), options_.port);
    error_code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (!error) shared_.port = acceptor_.local_endpoint(error).port();
    if (!error) return util::Ok();
    if (error == asio::error::address_in_use) {
      return util::Error{
          fmt::format("port {} of 127.0.0.1 is used by another program", options_.port),
          fmt::format("another `fxt open` may be waiting; `ss -ltnp sport = :{}` tells who it is",
                      options_.port)};
    }
    return util::Error{
        fmt::format("cannot listen on 127.0.0.1:{}: {}", options_.port, error.message()), ""};
  }

  uint16_t port() const override { return shared_.port; }
  const std::string& path() const override { return options_.path; }

  End Run() override {
    shared_.on_downloaded = [this] { Stop(End::kDownloaded); };
    asio::signal_set signals(context_, SIGINT, SIGTERM);
    signals.async_wait([this](error_code error, int) {
      if (!error) Stop(End::kInterrupted);
    });
    asio::steady_timer timer(context_);
    // While somebody takes it there is no hurry.
    const std::function<void()> watch = [&] {
      timer.expires_after(options_.patience);
      timer.async_wait([&](error_code error) {
        if (error) return;
        if (shared_.taken) return watch();
        Stop(End::kNobodyCame);
      });
    };
    watch();
    Accept();
    context_.run();
    return end_;
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      // Beyond so many they are closed at once.
      if (!error && shared_.connections < kConnections) {
        std::make_shared<Connection>(std::move(socket), shared_)->Read();
      }
      if (!error) return Accept();
      // Out of descriptors: not at once again.
      retry_.expires_after(std::chrono::milliseconds(100));
      retry_.async_wait([this](error_code stopped) {
        if (!stopped) Accept();
      });
    });
  }

  void Stop(End end) {
    end_ = end;
    context_.stop();
  }

  DownloadOptions options_;
  util::UniqueFd file_;
  Shared shared_{.options = options_, .on_downloaded = {}};
  End end_ = End::kInterrupted;
  // Below what its handlers refer to: they go first.
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer retry_{context_};
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
