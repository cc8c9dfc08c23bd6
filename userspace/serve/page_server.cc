// SPDX-License-Identifier: BSD-2-Clause
#include "serve/page_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <optional>

#include "serve/peer_user.h"

namespace serve {
namespace page {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// For the rest of a request that has begun, and for a response to be taken.
constexpr auto kRequestTimeout = seconds(30);
constexpr auto kIdleTimeout = seconds(120);
constexpr auto kStatusPeriod = seconds(1);
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);
constexpr size_t kMaxHead = size_t{16} << 10;
constexpr size_t kMaxBody = size_t{64} << 10;
constexpr size_t kMaxConnections = 64;

// State that connections share with the server, which may end before them.
class Host {
 public:
  virtual ~Host() = default;
  virtual const PageOptions& options() const = 0;
  virtual uint16_t port() const = 0;
  virtual void Answer(PageRequest request, PageServer::Respond respond) = 0;
  virtual std::string StatusText() const = 0;
  virtual void OnEnd(void* connection, bool was_live) = 0;
  virtual void OnLive() = 0;
};

// Handlers keep it alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Host& host) : socket_(std::move(socket)), host_(&host) {
    error_code error;
    const auto peer = PeerUser(socket_.remote_endpoint(error).port(), host.port());
    const auto& users = host.options().users;
    is_of_other_user_ = !peer || std::find(users.begin(), users.end(), *peer) == users.end();
    socket_.set_option(tcp::no_delay(true), error);
  }

  bool is_live() const { return is_live_; }
  bool is_busy() const { return is_busy_; }
  Clock::time_point last_used() const { return last_used_; }

  void Start() {
    last_used_ = Clock::now();
    is_busy_ = false;
    if (is_of_other_user_) return Write(Make({.status = 403}), /*keeps=*/false);
    parser_.emplace();
    parser_->header_limit(kMaxHead);
    parser_->body_limit(kMaxBody);
    SetTimeout(kIdleTimeout);
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, size_t /*bytes*/) {
                       self->OnRequest(error);
                     });
  }

  void End() {
    if (host_ == nullptr) return;
    Host& host = *std::exchange(host_, nullptr);
    error_code ignored;
    socket_.close(ignored);
    timeout_.cancel();
    tick_.cancel();
    host.OnEnd(this, is_live_);
  }

 private:
  using Response = http::response<http::string_body>;

  void SetTimeout(Clock::duration timeout) {
    timeout_.expires_after(timeout);
    timeout_.async_wait([self = shared_from_this()](error_code error) {
      // A wait may have ended just before the timeout was set again.
      if (!error && self->timeout_.expiry() <= Clock::now()) self->End();
    });
  }

  void OnRequest(error_code error) {
    if (host_ == nullptr) return;
    const bool is_closed = error == http::error::end_of_stream ||
                           error == http::error::partial_message ||
                           error.category() == asio::error::get_system_category();
    if (error && is_closed) return End();
    if (error) return Write(Make({.status = 400}), false);
    const auto request = parser_->release();
    if (!IsAllowed(request)) return Write(Make({.status = 403}), false);
    const bool keeps = request.keep_alive();
    const bool is_post = request.method() == http::verb::post;
    if (!is_post && request.method() != http::verb::get) return Write(Make({.status = 405}), keeps);
    const std::string target(request.target());
    const std::string prefix = fmt::format("/{}/", host_->options().secret);
    if (!target.starts_with(prefix)) return Write(Make({.status = 404}), keeps);
    const size_t mark = std::min(target.find('?'), target.size());
    PageRequest page{.is_post = is_post,
                     .path = target.substr(prefix.size(), mark - prefix.size()),
                     .query = mark < target.size() ? target.substr(mark + 1) : "",
                     .body = request.body()};
    if (page.path == "live") return BeginLive();
    is_busy_ = true;
    timeout_.cancel();
    host_->Answer(std::move(page), [self = shared_from_this(), keeps](PageResponse response) {
      asio::post(self->socket_.get_executor(), [self, keeps, made = std::move(response)]() mutable {
        if (self->host_ != nullptr) self->Write(Make(std::move(made)), keeps);
      });
    });
  }

  template <typename Request>
  bool IsAllowed(const Request& request) const {
    const auto is_here = [&](std::string_view name) {
      return name == fmt::format("127.0.0.1:{}", host_->port()) ||
             name == fmt::format("localhost:{}", host_->port());
    };
    if (request.count(http::field::host) != 1) return false;
    const std::string host(request[http::field::host]);
    if (!is_here(host)) return false;
    const size_t origins = request.count(http::field::origin);
    if (origins > 1 || (origins == 1 && request[http::field::origin] != "http://" + host)) {
      return false;
    }
    // A page that another site frames or fetches. "none": the user typed the address.
    const auto site = request.find("Sec-Fetch-Site");
    return site == request.end() || site->value() == "same-origin" || site->value() == "none";
  }

  static Response Make(PageResponse made) {
    Response response(static_cast<http::status>(made.status), 11);
    response.set(http::field::content_type, made.content_type);
    response.set(http::field::cache_control, "no-store");
    response.set("Content-Security-Policy",
                 made.policy.empty() ? std::string(PageServer::kPolicy) : made.policy);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.body() = std::move(made.body);
    return response;
  }

  void Write(Response response, bool keeps) {
    response_ = std::move(response);
    response_.keep_alive(keeps);
    response_.prepare_payload();
    SetTimeout(kRequestTimeout);
    http::async_write(socket_, response_,
                      [self = shared_from_this(), keeps](error_code error, size_t /*bytes*/) {
                        if (self->host_ == nullptr) return;
                        if (error || !keeps) return self->Close(error);
                        self->response_ = {};
                        self->Start();
                      });
  }

  // Closing at once could reset the connection before the other end has read the response.
  void Close(error_code error) {
    if (error) return End();
    socket_.shutdown(tcp::socket::shutdown_send, error);
    socket_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](error_code /*error*/) { self->End(); });
    SetTimeout(seconds(2));
  }

  void BeginLive() {
    is_live_ = is_busy_ = true;
    host_->OnLive();
    timeout_.cancel();
    Send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 500\n\n");
    // The page sends nothing more: what comes is the end of the connection.
    socket_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](error_code /*error*/) { self->End(); });
  }

  void Send(std::string text) {
    event_ = std::move(text);
    SetTimeout(kRequestTimeout);
    asio::async_write(socket_, asio::buffer(event_),
                      [self = shared_from_this()](error_code error, size_t /*bytes*/) {
                        if (self->host_ == nullptr) return;
                        if (error) return self->End();
                        self->timeout_.cancel();
                        self->Tick();
                      });
  }

  void Tick() {
    tick_.expires_after(has_sent_status_ ? Clock::duration(kStatusPeriod) : Clock::duration(0));
    has_sent_status_ = true;
    tick_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->host_ == nullptr) return;
      self->Send(fmt::format("data: {}\n\n", self->host_->StatusText()));
    });
  }

  tcp::socket socket_;
  Host* host_;  // null after the end
  asio::steady_timer timeout_{socket_.get_executor()};
  asio::steady_timer tick_{socket_.get_executor()};
  boost::beast::flat_buffer buffer_{kMaxHead + kMaxBody};
  std::optional<http::request_parser<http::string_body>> parser_;
  Response response_;
  std::string event_;
  Clock::time_point last_used_;
  bool is_of_other_user_ = false;
  bool is_live_ = false;
  bool is_busy_ = false;
  bool has_sent_status_ = false;
};

}  // namespace page

class PageServer::Server : public page::Host {
 public:
  Server(PageOptions options, Handler handler, Status status)
      : options_(std::move(options)), handler_(std::move(handler)), status_(std::move(status)) {}

  util::Status Open() {
    const page::tcp::endpoint here(page::asio::ip::address_v4::loopback(), options_.port);
    page::error_code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(page::tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(page::asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (!error) return util::Ok();
    return util::Error{
        fmt::format("cannot listen on 127.0.0.1:{}: {}", options_.port, error.message()),
        fmt::format("`ss -ltnp sport = :{}` shows who does; --port 0 takes any free port",
                    options_.port)};
  }

  End Run() {
    signals_.async_wait([this](page::error_code error, int /*signal*/) {
      if (!error) Stop(End::kInterrupted);
    });
    WaitForPage(options_.open_timeout, End::kTimeout);
    Accept();
    context_.run();
    page::error_code ignored;
    signals_.clear(ignored);
    return end_;
  }

  const PageOptions& options() const override { return options_; }
  uint16_t port() const override { return port_; }
  void Answer(PageRequest request, Respond respond) override {
    handler_(std::move(request), std::move(respond));
  }
  std::string StatusText() const override { return status_(); }
  void OnLive() override {
    ++live_;
    timeout_.cancel();
  }
  void OnEnd(void* connection, bool was_live) override {
    std::erase_if(connections_, [&](const auto& one) { return one.get() == connection; });
    if (was_live && --live_ == 0) WaitForPage(options_.reload_timeout, End::kPagesGone);
  }

 private:
  void Stop(End end) {
    end_ = end;
    context_.stop();
  }

  void WaitForPage(std::chrono::nanoseconds wait, End end) {
    timeout_.expires_after(std::chrono::duration_cast<page::Clock::duration>(wait));
    timeout_.async_wait([this, end](page::error_code error) {
      if (!error && live_ == 0) Stop(end);
    });
  }

  void Accept() {
    acceptor_.async_accept([this](page::error_code error, page::tcp::socket socket) {
      if (!error) {
        Add(std::move(socket));
        return Accept();
      }
      // Out of descriptors, for example: an immediate retry would busy-loop.
      accept_retry_.expires_after(page::kAcceptRetry);
      accept_retry_.async_wait([this](page::error_code /*error*/) { Accept(); });
    });
  }

  void Add(page::tcp::socket socket) {
    if (connections_.size() >= page::kMaxConnections) CloseOne();
    auto connection = std::make_shared<page::Connection>(std::move(socket), *this);
    connections_.push_back(connection);
    connection->Start();
  }

  void CloseOne() {
    const auto rank = [](const auto& one) { return std::pair(one->is_busy(), one->last_used()); };
    const auto oldest =
        std::min_element(connections_.begin(), connections_.end(),
                         [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    const std::shared_ptr<page::Connection> closed = *oldest;
    closed->End();
  }

  PageOptions options_;
  Handler handler_;
  Status status_;
  uint16_t port_ = 0;
  End end_ = End::kTimeout;
  size_t live_ = 0;
  page::asio::io_context context_{1};
  // Before the address is printed: a user who sees it may interrupt at once.
  page::asio::signal_set signals_{context_, SIGINT, SIGTERM};
  page::tcp::acceptor acceptor_{context_};
  page::asio::steady_timer timeout_{context_};
  page::asio::steady_timer accept_retry_{context_};
  std::vector<std::shared_ptr<page::Connection>> connections_;
};

PageServer::PageServer(std::shared_ptr<Server> server) : server_(std::move(server)) {}
PageServer::~PageServer() = default;

uint16_t PageServer::port() const { return server_->port(); }
std::string PageServer::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port(), server_->options().secret);
}
PageServer::End PageServer::Run() { return server_->Run(); }

util::Result<std::unique_ptr<PageServer>> PageServer::Listen(const PageOptions& options,
                                                             Handler handler, Status status) {
  auto server = std::make_shared<Server>(options, std::move(handler), std::move(status));
  if (auto opened = server->Open(); !opened) return opened.TakeError();
  return std::unique_ptr<PageServer>(new PageServer(std::move(server)));
}

}  // namespace serve
