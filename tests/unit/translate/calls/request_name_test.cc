// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/request_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace translate {
namespace {

constexpr schema::RequestProtocols kAll{
    .http = true, .redis = true, .postgres = true, .mysql = true};

std::string Http(std::string_view bytes) {
  return NameOfRequest(bytes, bytes.size(), 8080, {.http = true});
}
std::string Redis(std::string_view bytes) {
  return NameOfRequest(bytes, bytes.size(), 6379, {.redis = true});
}
std::string Postgres(char type, std::string_view body) {
  std::string bytes(1, type);
  bytes += std::string_view("\0\0\0", 3);
  bytes += static_cast<char>(body.size() + 4);
  bytes += body;
  return NameOfRequest(bytes, bytes.size(), 5432, {.postgres = true});
}
std::string Mysql(char command, std::string_view body, char sequence = 0) {
  std::string bytes(1, static_cast<char>(body.size() + 1));
  bytes += std::string_view("\0\0", 2);
  bytes += sequence;
  bytes += command;
  bytes += body;
  return NameOfRequest(bytes, bytes.size(), 3306, {.mysql = true});
}

TEST(RequestNameTest, NamesHttpByMethodAndPath) {
  EXPECT_EQ(Http("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "GET /");
  EXPECT_EQ(Http("POST /api/v1/orders HTTP/1.1\r\n"), "POST /api/v1/orders");
  EXPECT_EQ(Http("GET http://host:80/a/b HTTP/1.1\r\n"), "GET /a/b");
  EXPECT_EQ(Http("OPTIONS * HTTP/1.1\r\n"), "OPTIONS");
  EXPECT_EQ(Http("CONNECT secret.example:443 HTTP/1.1\r\n"), "CONNECT");
  EXPECT_EQ(Http("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "HTTP/2");
}

TEST(RequestNameTest, HttpNamesOmitQueriesNumbersAndIds) {
  EXPECT_EQ(Http("GET /search?q=secret HTTP/1.1\r\n"), "GET /search");
  EXPECT_EQ(Http("GET /users/4711/items/7 HTTP/1.1\r\n"), "GET /users/{id}/items/{id}");
  EXPECT_EQ(Http("GET /o/0123abcd-12ab-4cde-8f00-0123456789ab HTTP/1.1\r\n"), "GET /o/{id}");
  EXPECT_EQ(Http("GET /photo-1234.jpg HTTP/1.1\r\n"), "GET /photo-{n}.jpg");
  EXPECT_EQ(Http("GET /x;session=secret HTTP/1.1\r\n"), "GET /x");
}

TEST(RequestNameTest, CutHttpPathsOmitTheLastSegment) {
  EXPECT_EQ(Http("GET /a/b/cde"), "GET /a/b/...");
  EXPECT_EQ(Http("GET /a/b?q=cde"), "GET /a/b");
}

TEST(RequestNameTest, NamesRedisByCommand) {
  EXPECT_EQ(Redis("*3\r\n$3\r\nset\r\n$6\r\nsecret\r\n$1\r\nx\r\n"), "SET");
  EXPECT_EQ(Redis("PING\r\n"), "PING");
  EXPECT_EQ(Redis("get secret\r\n"), "GET");
  EXPECT_EQ(Redis("*1\r\n$-4\r\nPING\r\n"), "");
  EXPECT_EQ(Redis("*1\r\n$4"), "");
  EXPECT_EQ(Redis("secret-without-an-end"), "");
}

TEST(RequestNameTest, InlineRedisNeedsItsPortOrToBeTheOnlyProtocol) {
  const std::string_view text = "get secret\r\n";
  EXPECT_EQ(NameOfRequest(text, text.size(), 1234, {.redis = true}), "GET");
  EXPECT_EQ(NameOfRequest(text, text.size(), 1234, kAll), "");
  EXPECT_EQ(NameOfRequest(text, text.size(), 6379, kAll), "GET");
}

TEST(RequestNameTest, NamesSqlStatementsByTheirFirstWord) {
  EXPECT_EQ(Postgres('Q', std::string_view("select 'secret'\0", 16)), "SELECT");
  EXPECT_EQ(Postgres('Q', "  /* secret */ -- secret\n (Insert into t values (1)"), "INSERT");
  EXPECT_EQ(Postgres('Q', "/* never ends"), "");
  EXPECT_EQ(Postgres('P', std::string_view("name\0update t set x = 'secret'", 30)), "UPDATE");
  EXPECT_EQ(Postgres('B', "portal"), "EXECUTE");
  EXPECT_EQ(Postgres('p', "secret"), "authentication");
  EXPECT_EQ(Mysql(3, "SELECT secret"), "SELECT");
  EXPECT_EQ(Mysql(3, std::string_view("\0\1delete from t", 15)), "DELETE");
  EXPECT_EQ(Mysql(0x16, "replace into t"), "REPLACE");
  EXPECT_EQ(Mysql(0x17, "...."), "EXECUTE");
  EXPECT_EQ(Mysql(0x0e, ""), "PING");
  EXPECT_EQ(Mysql('x', std::string(40, 's'), 1), "login");
}

TEST(RequestNameTest, ConnectionsBeginWithHandshakes) {
  const std::string startup("\0\0\0\x10\0\3\0\0user\0me\0", 16);
  EXPECT_EQ(NameOfRequest(startup, startup.size(), 5432, {.postgres = true}), "startup");
  const std::string ssl("\0\0\0\x08\x04\xd2\x16\x2f", 8);
  EXPECT_EQ(NameOfRequest(ssl, ssl.size(), 5432, {.postgres = true}), "SSLRequest");
  const std::string tls("\x16\3\1\2\0\1", 6);
  EXPECT_EQ(NameOfRequest(tls, tls.size(), 443, kAll), "TLS handshake");
}

TEST(RequestNameTest, OnlyTheChosenProtocolsAreRead) {
  const std::string_view http = "GET /secret HTTP/1.1\r\n";
  EXPECT_EQ(NameOfRequest(http, http.size(), 80, {.postgres = true, .mysql = true}), "");
  EXPECT_EQ(NameOfRequest(http, http.size(), 80, {}), "");
}

TEST(RequestNameTest, SeveralRequestsInOneReceive) {
  const std::string ping = "*1\r\n$4\r\nPING\r\n";
  const std::string set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000\r\n";
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string post = "POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n";
  const std::string select("Q\0\0\0\x0dselect 1\0", 15);
  const auto is_pipelined = [](std::string_view text, uint64_t total) {
    return IsPipelined(text, total, kAll);
  };
  for (const std::string& one : {ping, get, select.substr(0, 14)}) {
    EXPECT_FALSE(is_pipelined(one, one.size())) << one;
    EXPECT_TRUE(is_pipelined(one, one.size() + 1)) << one;
    EXPECT_TRUE(is_pipelined(one + one, 2 * one.size())) << one;
    EXPECT_FALSE(IsPipelined(one, one.size() + 1, {.mysql = true})) << one;
  }
  // By the length of the bytes beyond the text.
  EXPECT_FALSE(is_pipelined(set, set.size() + 1002));
  EXPECT_TRUE(is_pipelined(set, set.size() + 1003));
  // The length is unknown.
  EXPECT_FALSE(is_pipelined(post, post.size() + 100));
  EXPECT_FALSE(is_pipelined("GET /a/long/path HTTP/1.1\r\nHost", 4096));
  EXPECT_FALSE(is_pipelined("*2\r\n$3\r\nGET\r\n$", 4096));
  EXPECT_FALSE(is_pipelined("*99999999999\r\n$0\r\n\r\n$0\r\n\r\n", 4096));
}

// For any input of a peer the name is short and printable, and no byte beyond the text is read.
TEST(RequestNameTest, HostileBytesMakePrintableNames) {
  std::mt19937 random(32);  // NOLINT: a fixed seed
  const std::string_view seeds[] = {"GET /a/b/c?d HTTP/1.1\r\n\r\n",
                                    "*2\r\n$3\r\nget\r\n$1\r\nx\r\n",
                                    std::string_view("Q\0\0\0\x0dselect 1\0", 14),
                                    std::string_view("\x09\0\0\0\3select 1", 13),
                                    std::string_view("\0\0\0\x08\x04\xd2\x16\x2f", 8),
                                    "\x16\3\1",
                                    "PRI * HTTP/2.0"};
  for (int round = 0; round < 200'000; ++round) {
    std::string bytes(seeds[random() % std::size(seeds)]);
    for (uint32_t change = random() % 6; change > 0; --change) {
      if (bytes.empty() || random() % 4 == 0) bytes += static_cast<char>(random());
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    bytes.resize(random() % 65, static_cast<char>(random()));
    // A copy of exactly these bytes, so that sanitizers see a read beyond them.
    const std::string exact(bytes.data(), bytes.size());
    const uint32_t ports[] = {0, 80, 6379, 5432, 3306};
    const std::string name =
        NameOfRequest(exact, exact.size() + random() % 3, ports[random() % 5], kAll);
    ASSERT_LE(name.size(), 80u);
    ASSERT_TRUE(std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; })) << name;
  }
}

}  // namespace
}  // namespace translate
