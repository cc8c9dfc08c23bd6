// SPDX-License-Identifier: BSD-2-Clause
#include "serve/one_download.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <thread>

#include "support/temp_folder.h"

namespace serve {
namespace {

constexpr const char* kOrigin = "https://viewer.example";

class OneDownloadTest : public ::testing::Test {
 protected:
  void Start(std::vector<uid_t> users = {geteuid()}) {
    std::ofstream(folder_ / "file") << content_;
    auto server = OneDownload::Listen({.port = 0,
                                       .path = "/secret/trace.fxt",
                                       .origin = kOrigin,
                                       .users = std::move(users),
                                       .open_timeout = open_timeout_},
                                      File());
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::thread([this] { end_ = server_->Run(); });
  }
  static util::Result<std::unique_ptr<OneDownload>> Listen(uint16_t port, util::UniqueFd file) {
    DownloadOptions options;
    options.port = port;
    return OneDownload::Listen(options, std::move(file));
  }
  util::UniqueFd File() {
    return util::UniqueFd(open((folder_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
  }
  OneDownload::End Join() {
    thread_.join();
    return end_;
  }
  ~OneDownloadTest() override {
    // A complete download ends Run().
    if (thread_.joinable()) {
      Get();
      thread_.join();
    }
  }

  util::UniqueFd Connect(const std::string& request) {
    util::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in there = {};
    there.sin_family = AF_INET;
    there.sin_port = htons(server_->port());
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&there), sizeof there), 0);
    if (request.empty()) return fd;
    EXPECT_EQ(send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    return fd;
  }
  // Everything that arrives until the peer closes.
  static std::string Rest(int fd) {
    std::string answer;
    std::array<char, 65'536> buffer;
    for (;;) {
      const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) return answer;
      answer.append(buffer.data(), static_cast<size_t>(got));
    }
  }
  std::string Ask(const std::string& request) { return Rest(Connect(request).get()); }
  std::string Request(const std::string& method, const std::string& path, const std::string& origin,
                      const std::string& host = "127.0.0.1") {
    return fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\n{}\r\n", method, path, host,
                       server_->port(),
                       origin.empty() ? "" : fmt::format("Origin: {}\r\n", origin));
  }
  std::string FileRequest() { return Request("GET", "/secret/trace.fxt", kOrigin); }
  std::string Get() { return Ask(FileRequest()); }
  static std::string StatusOf(const std::string& answer) {
    return answer.size() < 12 ? "" : answer.substr(9, 3);
  }
  void ExpectRefused(const std::string& request, const std::string& status) {
    const std::string answer = Ask(request);
    EXPECT_EQ(StatusOf(answer), status) << request;
    EXPECT_EQ(answer.find(content_), std::string::npos);
  }

  testing_support::TempFolder folder_;
  std::string content_ = "content of the trace";
  std::chrono::nanoseconds open_timeout_ = std::chrono::minutes(5);
  std::unique_ptr<OneDownload> server_;
  OneDownload::End end_ = OneDownload::End::kInterrupted;
  std::thread thread_;
};

TEST_F(OneDownloadTest, ServesTheFileOnce) {
  content_ = std::string(3'000'000, 'x') + "end";
  Start();
  EXPECT_EQ(server_->url(), fmt::format("http://127.0.0.1:{}/secret/trace.fxt", server_->port()));
  const std::string answer = Get();
  EXPECT_EQ(StatusOf(answer), "200");
  const size_t body = answer.find("\r\n\r\n") + 4;
  EXPECT_TRUE(answer.substr(body) == content_) << answer.size();
  const std::string head = answer.substr(0, body);
  EXPECT_NE(head.find("Access-Control-Allow-Origin: https://viewer.example\r\n"),
            std::string::npos);
  EXPECT_NE(head.find("Content-Length: 3000003\r\n"), std::string::npos);
  EXPECT_EQ(Join(), OneDownload::End::kDownloaded);
}

TEST_F(OneDownloadTest, RefusesOtherOriginsAndHosts) {
  Start();
  const std::string path = "/secret/trace.fxt";
  for (const char* origin :
       {"", "null", "https://evil.example", "http://viewer.example",
        "https://viewer.example.evil.example", "https://viewer.example:8080"}) {
    ExpectRefused(Request("GET", path, origin), "403");
    ExpectRefused(Request("OPTIONS", path, origin), "403");
  }
  // A DNS name that was rebound to 127.0.0.1 appears as the host.
  ExpectRefused(Request("GET", path, kOrigin, "evil.example"), "403");
  ExpectRefused(fmt::format("GET {} HTTP/1.1\r\nOrigin: {}\r\n\r\n", path, kOrigin), "403");
  ExpectRefused(fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {}\r\nOrigin: "
                            "https://evil.example\r\n\r\n",
                            path, server_->port(), kOrigin),
                "403");
}

TEST_F(OneDownloadTest, ServesNoOtherPathOrMethod) {
  Start();
  for (const char* path : {"/", "/secret/", "/etc/passwd", "/secret/../secret/trace.fxt",
                           "/secret/trace.fxt?x", "//secret/trace.fxt", "/secret/trace.fxt/.."}) {
    ExpectRefused(Request("GET", path, kOrigin), "404");
  }
  for (const char* method : {"POST", "PUT", "DELETE"}) {
    ExpectRefused(Request(method, "/secret/trace.fxt", kOrigin), "405");
  }
  EXPECT_EQ(Ask("nonsense\r\n\r\n").find(content_), std::string::npos);
  EXPECT_EQ(Ask("GET / HTTP/1.1\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n").find(content_),
            std::string::npos);
}

TEST_F(OneDownloadTest, AnswersPreflightAndHead) {
  Start();
  const std::string request = Request("OPTIONS", "/secret/trace.fxt", kOrigin);
  const std::string answer =
      Ask(request.substr(0, request.size() - 2) + "Access-Control-Request-Method: GET\r\n" +
          "Access-Control-Request-Private-Network: true\r\n\r\n");
  EXPECT_EQ(StatusOf(answer), "204");
  EXPECT_NE(answer.find("Access-Control-Allow-Private-Network: true"), std::string::npos);
  const std::string head = Ask(Request("HEAD", "/secret/trace.fxt", kOrigin));
  EXPECT_EQ(StatusOf(head), "200");
  EXPECT_EQ(head.find(content_), std::string::npos);
  EXPECT_EQ(StatusOf(Get()), "200");
  EXPECT_EQ(Join(), OneDownload::End::kDownloaded);
}

TEST_F(OneDownloadTest, DoesNotCountAnUnreadAnswerAsDownloaded) {
  Start();
  {
    // The whole answer is in this socket, which closes before it is read.
    const util::UniqueFd fd = Connect(FileRequest());
    char byte = 0;
    EXPECT_EQ(recv(fd.get(), &byte, 1, 0), 1);
    ExpectRefused(FileRequest(), "503");
  }
  std::string again;
  do {
    again = Get();
  } while (StatusOf(again) == "503");
  EXPECT_EQ(StatusOf(again), "200");
  EXPECT_TRUE(again.ends_with(content_));
  EXPECT_EQ(Join(), OneDownload::End::kDownloaded);
}

TEST_F(OneDownloadTest, ServesAPeerThatHasShutDownSending) {
  content_ = std::string(20'000'000, 'x') + "end";
  Start();
  const util::UniqueFd fd = Connect(FileRequest());
  char byte = 0;
  EXPECT_EQ(recv(fd.get(), &byte, 1, 0), 1);
  EXPECT_EQ(shutdown(fd.get(), SHUT_WR), 0);
  EXPECT_TRUE(Rest(fd.get()).ends_with(content_));
  EXPECT_EQ(Join(), OneDownload::End::kDownloaded);
}

TEST_F(OneDownloadTest, ClosesTheOldestIdleConnection) {
  Start();
  std::vector<util::UniqueFd> silent;
  for (int i = 0; i < 40; ++i) silent.push_back(Connect(i < 20 ? "GET /" : ""));
  EXPECT_EQ(StatusOf(Get()), "200");
  EXPECT_EQ(Rest(silent.front().get()), "");
  EXPECT_EQ(Join(), OneDownload::End::kDownloaded);
}

TEST_F(OneDownloadTest, ServesDespiteAFloodFromAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can change its user";
  Start();
  const pid_t other_user = fork();
  if (other_user == 0) {
    if (setuid(65534) != 0) _exit(1);
    for (std::vector<util::UniqueFd> some;; some.clear()) {
      for (int i = 0; i < 100; ++i) some.push_back(Connect(""));
    }
  }
  {
    const util::UniqueFd slow = Connect("");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const std::string request = FileRequest();
    EXPECT_EQ(send(slow.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    EXPECT_EQ(StatusOf(Rest(slow.get())), "200");
  }
  kill(other_user, SIGKILL);
  waitpid(other_user, nullptr, 0);
  EXPECT_EQ(Join(), OneDownload::End::kDownloaded);
}

TEST_F(OneDownloadTest, AnswersARequestThatSendsMore) {
  Start();
  const std::string request = Request("POST", "/secret/trace.fxt", kOrigin);
  EXPECT_EQ(StatusOf(Ask(request + std::string(10'000, 'x'))), "405");
}

TEST_F(OneDownloadTest, AnswersMalformedRequestsWith400) {
  Start();
  const std::string whole = FileRequest();
  const std::string fields = whole.substr(0, whole.size() - 2);
  for (const std::string& request :
       {std::string("nonsense\r\n\r\n"), fields + "X: " + std::string(20'000, 'x') + "\r\n\r\n",
        fields + "Content-Length: 4\r\n\r\nbody"}) {
    ExpectRefused(request, "400");
  }
}

TEST_F(OneDownloadTest, RefusesProgramsOfOtherUsers) {
  Start({geteuid() + 1});
  ExpectRefused(Request("GET", "/secret/trace.fxt", kOrigin), "403");
  std::raise(SIGTERM);
  EXPECT_EQ(Join(), OneDownload::End::kInterrupted);
}

TEST_F(OneDownloadTest, EndsAtTheTimeout) {
  open_timeout_ = std::chrono::milliseconds(1);
  Start();
  EXPECT_EQ(Join(), OneDownload::End::kTimeout);
}

TEST_F(OneDownloadTest, ReportsThatThePortIsInUse) {
  Start();
  const auto second = Listen(server_->port(), File());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("is used by another program"), std::string::npos);
}

TEST_F(OneDownloadTest, ServesRegularFilesOnly) {
  util::UniqueFd device(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(Listen(0, std::move(device)));
}

}  // namespace
}  // namespace serve
