// SPDX-License-Identifier: BSD-2-Clause
#include "http/message_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

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

// A proxy may say "continue" or "early hints" as often as it likes before the answer.
TEST(MessageParserTest, AnswersThatSayThatOneWillComeAreNone) {
  const std::string text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  MessageParser whole(kResponse, kSmall);
  ASSERT_TRUE(whole.Add(text));
  MessageParser pieces(kResponse, kSmall);
  for (const char c : text) {
    EXPECT_FALSE(pieces.is_done());
    ASSERT_TRUE(pieces.Add({&c, 1}));
  }
  for (MessageParser* parser : {&whole, &pieces}) {
    EXPECT_TRUE(parser->is_done());
    EXPECT_TRUE(parser->keeps_alive());
    EXPECT_EQ(parser->message().status, 200U);
    EXPECT_EQ(parser->message().fields.size(), 1U);
    EXPECT_EQ(parser->message().body, "hello");
  }
  MessageParser alone(kResponse, kSmall);
  ASSERT_TRUE(alone.Add("HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_FALSE(alone.is_done());
  EXPECT_FALSE(alone.End());
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

// Whatever comes ends, and is the same however it is cut.
TEST(MessageParserTest, DamagedMessagesInPieces) {
  constexpr std::string_view kMessages[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhellomore",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nT: "
      "1\r\n\r\n",
      "HTTP/1.0 404 Not Found\r\nConnection: keep-alive\r\n\r\nsome text",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: b\r\nContent-Length: 4\r\n\r\nbody",
  };
  constexpr std::string_view kBytes = "\r\n\r\n: ;0f9\0\t\x80-";
  size_t done = 0;
  for (unsigned round = 0; round < 50'000; ++round) {
    std::mt19937 random(round);
    std::string text(kMessages[round % std::size(kMessages)]);
    const MessageParser::Of of = text.starts_with("POST") ? kRequest : kResponse;
    for (unsigned changes = random() % 3; changes-- > 0;) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text.insert(at, 1, kBytes[random() % kBytes.size()]);
      } else {
        text.erase(at, 1 + random() % 3);
      }
    }
    MessageParser whole(of, kSmall);
    MessageParser pieces(of, kSmall);
    const bool taken = whole.Add(text).ok();
    bool all = true;
    for (size_t at = 0; all && at < text.size();) {
      const size_t size = std::min<size_t>(1 + random() % 9, text.size() - at);
      all = pieces.Add(std::string_view(text).substr(at, size)).ok();
      at += size;
    }
    // What is wrong may be found sooner or later.
    const bool is_done = taken && whole.is_done();
    ASSERT_EQ(is_done, all && pieces.is_done()) << ::testing::PrintToString(text);
    if (!is_done) continue;
    ++done;
    ASSERT_EQ(whole.keeps_alive(), pieces.keeps_alive()) << text;
    ASSERT_EQ(whole.message().body, pieces.message().body) << text;
    ASSERT_EQ(whole.message().status, pieces.message().status) << text;
    ASSERT_EQ(whole.message().fields.size(), pieces.message().fields.size()) << text;
  }
  EXPECT_GT(done, 10'000u);
}

}  // namespace
}  // namespace http
