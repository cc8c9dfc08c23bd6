// SPDX-License-Identifier: BSD-2-Clause
#include "http/message_parser.h"

#include <gtest/gtest.h>

namespace http {
namespace {

constexpr MessageParser::Of kRequest = MessageParser::Of::kRequest;
constexpr MessageParser::Of kResponse = MessageParser::Of::kResponse;
constexpr MessageParser::Limits kSmall = {.head_bytes = 200, .body_bytes = 20};

TEST(MessageParserTest, ARequestHasMethodTargetAndFields) {
  MessageParser parser(kRequest, {});
  ASSERT_TRUE(parser.Add("GET /a?b HTTP/1.1\r\nHost: here:1\r\nX:  one \r\nx: two\r\n\r\nmore"));
  ASSERT_TRUE(parser.has_head());
  EXPECT_TRUE(parser.is_done());
  const Message& message = parser.message();
  EXPECT_EQ(message.method, "GET");
  EXPECT_EQ(message.target, "/a?b");
  EXPECT_EQ(message.Count("HOST"), 1U);
  EXPECT_EQ(message.ValueOf("host"), "here:1");
  EXPECT_EQ(message.Count("X"), 2U);
  EXPECT_EQ(message.ValueOf("X"), "one");
  EXPECT_EQ(message.Count("Hos"), 0U);
  EXPECT_EQ(message.ValueOf("Hos"), "");
}

TEST(MessageParserTest, ItMayComeByteByByte) {
  for (const std::string text : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                                 "chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"}) {
    MessageParser parser(kResponse, kSmall);
    for (const char c : text) {
      EXPECT_FALSE(parser.is_done());
      ASSERT_TRUE(parser.Add({&c, 1}));
    }
    EXPECT_TRUE(parser.is_done());
    EXPECT_TRUE(parser.keeps_alive());
    EXPECT_TRUE(parser.End());
    EXPECT_EQ(parser.message().status, 200U);
    EXPECT_EQ(parser.message().body, "hello");
  }
}

TEST(MessageParserTest, ABodyWithoutLengthEndsWithTheConnection) {
  MessageParser parser(kResponse, kSmall);
  ASSERT_TRUE(parser.Add("HTTP/1.1 500 No\r\n\r\nhel"));
  ASSERT_TRUE(parser.Add("lo"));
  EXPECT_TRUE(parser.has_head());
  EXPECT_FALSE(parser.is_done());
  EXPECT_TRUE(parser.End());
  EXPECT_TRUE(parser.is_done());
  EXPECT_FALSE(parser.keeps_alive());
  EXPECT_EQ(parser.message().status, 500U);
  EXPECT_EQ(parser.message().body, "hello");
}

TEST(MessageParserTest, GoodbyesAreHeard) {
  MessageParser parser(kResponse, kSmall);
  ASSERT_TRUE(parser.Add("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_TRUE(parser.is_done());
  EXPECT_FALSE(parser.keeps_alive());
}

TEST(MessageParserTest, AnEndThatIsMissing) {
  for (const char* text : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n"}) {
    MessageParser parser(kResponse, kSmall);
    ASSERT_TRUE(parser.Add(text));
    const auto end = parser.End();
    ASSERT_FALSE(end) << text;
    EXPECT_NE(end.error().message, "");
  }
}

TEST(MessageParserTest, WhatIsNoMessage) {
  for (const char* text :
       {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    EXPECT_FALSE(MessageParser(kRequest, {}).Add(text)) << text;
  }
}

TEST(MessageParserTest, NothingIsLargerThanItsLimit) {
  const std::string long_text(300, 'x');
  EXPECT_FALSE(MessageParser(kRequest, kSmall).Add("GET /" + long_text));
  EXPECT_FALSE(MessageParser(kRequest, kSmall).Add("GET / HTTP/1.1\r\nX: " + long_text));
  EXPECT_FALSE(
      MessageParser(kResponse, kSmall).Add("HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\n"));
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_FALSE(MessageParser(kResponse, kSmall).Add(chunked + "64\r\n"));
  // The line before a chunk never ends.
  EXPECT_FALSE(MessageParser(kResponse, kSmall).Add(chunked + "1;" + long_text));
  MessageParser endless(kResponse, kSmall);
  ASSERT_TRUE(endless.Add("HTTP/1.1 200 OK\r\n\r\n12345678901234567890"));
  EXPECT_FALSE(endless.Add("1"));
}

}  // namespace
}  // namespace http
