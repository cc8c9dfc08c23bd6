// SPDX-License-Identifier: BSD-2-Clause
#include "serve/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "util/unique_fd.h"

namespace serve {
namespace {

constexpr const char* kSecret = "0123456789abcdef";

// A server that answers with the path, in a thread of its own.
class PageServerTest : public testing::Test {
 protected:
  void Start(std::vector<uid_t> users) {
    const PageOptions options{.secret = kSecret,
                              .users = std::move(users),
                              .open_timeout = std::chrono::minutes(5),
                              .reload_timeout = std::chrono::milliseconds(50)};
    auto server = PageServer::Listen(
        options,
        [](const PageRequest& request, const PageServer::Respond& respond) {
          respond({.body = fmt::format("{} {} {}", request.path, request.query, request.body)});
        },
        [] { return std::string("{}"); });
    ASSERT_TRUE(server);
    server_ = std::move(*server);
    thread_ = std::thread([this] { end_ = server_->Run(); });
  }
  // Ends the server: a page comes and goes.
  void TearDown() override {
    if (!thread_.joinable()) return;
    if (!ended_) {
      const auto live = Connect();
      Send(live, Request("live", ""));
      std::array<char, 64> head;
      EXPECT_GT(read(live.get(), head.data(), head.size()), 0);
    }
    thread_.join();
  }

  util::UniqueFd Connect() const {
    util::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(server_->port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    return fd;
  }
  static void Send(const util::UniqueFd& fd, const std::string& text) {
    EXPECT_EQ(write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string Request(const std::string& path, const std::string& fields) const {
    return fmt::format("GET /{}/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{}\r\n",
                       kSecret, path, server_->port(), fields);
  }
  std::string Ask(const std::string& request) const {
    const auto fd = Connect();
    Send(fd, request);
    std::string answer;
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = read(fd.get(), buffer.data(), buffer.size())) > 0;) {
      answer.append(buffer.data(), static_cast<size_t>(got));
    }
    return answer;
  }
  static bool Is(const std::string& answer, int status) {
    return answer.starts_with(fmt::format("HTTP/1.1 {} ", status));
  }

  std::unique_ptr<PageServer> server_;
  std::thread thread_;
  PageServer::End end_ = PageServer::End::kTimeout;
  bool ended_ = false;
};

TEST_F(PageServerTest, AnswersThePageAndNobodyElse) {
  Start({getuid()});
  const std::string answer = Ask(Request("tile?from=1", ""));
  EXPECT_TRUE(Is(answer, 200)) << answer;
  EXPECT_TRUE(answer.ends_with("tile from=1 "));
  EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_TRUE(Is(Ask(Request("tile", "Origin: http://evil.example\r\n")), 403));
  EXPECT_TRUE(Is(Ask(Request("tile", "Sec-Fetch-Site: cross-site\r\n")), 403));
  EXPECT_TRUE(Is(Ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403));
  const std::string host =
      fmt::format("Host: 127.0.0.1:{}\r\nConnection: close\r\n", server_->port());
  EXPECT_TRUE(Is(Ask("GET / HTTP/1.1\r\n" + host + "\r\n"), 404));
  EXPECT_TRUE(Is(Ask("PUT / HTTP/1.1\r\n" + host + "\r\n"), 405));
  EXPECT_TRUE(Is(Ask("nonsense\r\n\r\n"), 400));
}

TEST_F(PageServerTest, RefusesOtherUsers) {
  Start({getuid() + 1});
  EXPECT_TRUE(Is(Ask(Request("tile", "")), 403));
  // No page can come; an interrupt ends it.
  ended_ = true;
  kill(getpid(), SIGTERM);
}

TEST_F(PageServerTest, EndsWhenThePageIsGone) {
  Start({getuid()});
  {
    const auto live = Connect();
    Send(live, Request("live", ""));
    std::string events;
    std::array<char, 4096> buffer;
    while (events.find("data: {}") == std::string::npos) {
      const ssize_t got = read(live.get(), buffer.data(), buffer.size());
      ASSERT_GT(got, 0);
      events.append(buffer.data(), static_cast<size_t>(got));
    }
  }
  thread_.join();
  EXPECT_EQ(end_, PageServer::End::kPagesGone);
}

}  // namespace
}  // namespace serve
