// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "util/unique_fd.h"

namespace exporting {
namespace {

using std::chrono::seconds;

// For answers that come, on a busy machine.
constexpr seconds kLong{300};

// A server that accepts connections one after the other and runs a function of the test on each.
class HttpClientTest : public ::testing::Test {
 protected:
  HttpClientTest() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here = {};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof here;
    auto* const address = reinterpret_cast<sockaddr*>(&here);
    EXPECT_EQ(bind(listener_.get(), address, length), 0);
    EXPECT_EQ(listen(listener_.get(), 4), 0);
    EXPECT_EQ(getsockname(listener_.get(), address, &length), 0);
    port_ = ntohs(here.sin_port);
  }
  ~HttpClientTest() override {
    if (thread_.joinable()) thread_.join();
  }

  void Serve(std::vector<std::function<void(int)>> connections) {
    thread_ = std::thread([this, connections = std::move(connections)] {
      for (const auto& serve : connections) {
        const util::UniqueFd fd(accept(listener_.get(), nullptr, nullptr));
        serve(fd.get());
      }
    });
  }
  // Reads one request with its body, then sends `answer`.
  void Answer(int fd, std::string_view answer) {
    std::string got;
    std::array<char, 4096> piece;
    for (;;) {
      const size_t head = got.find("\r\n\r\n");
      const size_t length = got.find("Content-Length: ");
      if (head != std::string::npos && length != std::string::npos &&
          got.size() >= head + 4 + std::stoul(got.substr(length + 16, 20))) {
        break;
      }
      const ssize_t more = recv(fd, piece.data(), piece.size(), 0);
      if (more <= 0) break;
      got.append(piece.data(), static_cast<size_t>(more));
    }
    requests_.push_back(got);
    Send(fd, answer);
  }
  static void Send(int fd, std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<size_t>(sent));
    }
  }
  std::function<void(int)> Answering(std::string answer) {
    return [this, answer = std::move(answer)](int fd) { Answer(fd, answer); };
  }
  // Reads until the client closes the connection.
  static void Wait(int fd) {
    std::array<char, 4096> piece;
    while (recv(fd, piece.data(), piece.size(), 0) > 0) continue;
  }
  HttpClient Client() const {
    return HttpClient(
        {.host = "127.0.0.1", .port = fmt::format("{}", port_), .user = "me", .password = "word"});
  }
  void ExpectError(std::string answer, const std::string& words, seconds timeout = kLong) {
    Serve({[this, answer = std::move(answer), timeout](int fd) {
      Answer(fd, answer);
      if (timeout < kLong) Wait(fd);
    }});
    HttpClient client = Client();
    const auto reply = client.Post("/", "body", timeout);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().message,
              fmt::format("http://127.0.0.1:{}: cannot read the answer: {}", port_, words));
  }

  util::UniqueFd listener_;
  uint16_t port_ = 0;
  std::vector<std::string> requests_;
  std::thread thread_;
};

TEST_F(HttpClientTest, ReusesTheConnection) {
  Serve({[this](int fd) {
    Answer(fd, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none");
    Answer(fd,
           "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n");
    Answer(fd, "HTTP/1.1 200 OK\r\n\r\nto the end");
  }});
  HttpClient client = Client();
  const auto one = client.Post("/?a", "body", kLong);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->status, 200U);
  EXPECT_EQ(one->body, "one");
  const auto two = client.Post("/", std::string(5'000'000, 'x'), kLong);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->status, 500U);
  EXPECT_EQ(two->body, "two");
  const auto three = client.Post("/", "", kLong);
  ASSERT_TRUE(three) << three.error().message;
  EXPECT_EQ(three->body, "to the end");
  thread_.join();
  EXPECT_EQ(requests_[0],
            fmt::format("POST /?a HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUser-Agent: fxt\r\n"
                        "X-ClickHouse-User: me\r\nX-ClickHouse-Key: word\r\n"
                        "Content-Length: 4\r\n\r\nbody",
                        port_));
  EXPECT_TRUE(requests_[1].ends_with("\r\n\r\n" + std::string(5'000'000, 'x')));
}

TEST_F(HttpClientTest, ReconnectsAfterTheServerCloses) {
  const std::string fine = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  std::atomic<bool> closed = false;
  Serve({Answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
         [&](int fd) {
           Answer(fd, fine);
           shutdown(fd, SHUT_RDWR);
           closed = true;
         },
         Answering(fine)});
  HttpClient client = Client();
  EXPECT_TRUE(client.Post("/", "", kLong));
  EXPECT_TRUE(client.Post("/", "", kLong));
  // The server closes this connection without announcing it.
  while (!closed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(client.Post("/", "", kLong));
}

TEST_F(HttpClientTest, ReadsAnAnswerBeforeTheRequestIsSent) {
  Serve({[](int fd) {
    Send(fd, "HTTP/1.1 413 Too much\r\nContent-Length: 2\r\n\r\nno");
    Wait(fd);
  }});
  HttpClient client = Client();
  const auto reply = client.Post("/", std::string(50'000'000, 'x'), kLong);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 413U);
  EXPECT_EQ(reply->body, "no");
}

// A proxy may send "continue" and "early hints" before the answer.
TEST_F(HttpClientTest, SkipsInterimAnswers) {
  Serve(
      {Answering("HTTP/1.1 100 Continue\r\n\r\n"
                 "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")});
  HttpClient client = Client();
  const auto reply = client.Post("/", "body", kLong);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status, 200U);
  EXPECT_EQ(reply->body, "hello");
}

TEST_F(HttpClientTest, ReportsAnInterimAnswerAlone) {
  ExpectError("HTTP/1.1 100 Continue\r\n\r\n", "end of stream");
}

TEST_F(HttpClientTest, ReadsAnAnswerByteByByte) {
  Serve({[this](int fd) {
    Answer(fd, "");
    const std::string answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n";
    for (const char c : answer) Send(fd, {&c, 1});
  }});
  HttpClient client = Client();
  const auto reply = client.Post("/", "body", kLong);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "hello");
}

TEST_F(HttpClientTest, ReportsAnEndlessChunkHeader) {
  ExpectError("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100'000, 'x'),
              "buffer overflow");
}

TEST_F(HttpClientTest, ReportsAPartialAnswer) {
  ExpectError("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\non", "partial message");
}

TEST_F(HttpClientTest, ReportsAClosedConnection) { ExpectError("", "end of stream"); }

TEST_F(HttpClientTest, ReportsAnAnswerAboveTheLimit) {
  ExpectError("HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n", "body limit exceeded");
}

TEST_F(HttpClientTest, ReportsTheTimeout) {
  ExpectError("HTTP/1.1 200 OK\r\n", "no answer within 3 s", seconds(3));
}

TEST_F(HttpClientTest, ReportsARefusedConnection) {
  HttpClient client = Client();
  listener_.reset();
  const auto reply = client.Post("/", "", kLong);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message,
            fmt::format("http://127.0.0.1:{}: cannot connect: Connection refused", port_));
}

}  // namespace
}  // namespace exporting
