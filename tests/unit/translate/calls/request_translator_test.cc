// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/request_translator.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;

constexpr std::string_view kLoopback("\x7f\0\0\1\x7f\0\0\1", 8);

class RequestTranslatorTest : public ::testing::Test {
 protected:
  explicit RequestTranslatorTest(const schema::RequestProtocols& names = {})
      : script_({.request_names = names}) {
    script_.Task(7, 7, "server").Task(8, 7, "worker").Task(9, 9, "client").Switch(1, 0, 0, 7);
  }

  // `pack` fills the fields and returns the place of the bytes.
  template <typename Pack>
  void Side(uint64_t time, std::string_view bytes, const Pack& pack) {
    alignas(8) std::byte storage[512] = {};
    auto* event = reinterpret_cast<fxr_long*>(storage);
    event->header = {time, FXR_SIDE_LONG, 0, 0, sizeof(storage)};
    event->category = FXR_CATEGORY_REQUEST;
    std::memcpy(pack(event, static_cast<fxr_u32>(bytes.size())), bytes.data(), bytes.size());
    script_.translator().OnSideEvent(event->header);
  }
  void Connect(uint64_t time, uint32_t number, fxr_request_side side, uint32_t local,
               uint32_t remote, std::string_view addresses = kLoopback) {
    fxr_connection_long fields{};
    fields.connection = number;
    fields.side = static_cast<fxr_u8>(side);
    fields.family = addresses.size() == 8 ? AF_INET : AF_INET6;
    fields.ports = local << 16 | remote;
    fields.net = 1;
    Side(time, addresses, [&](fxr_long* event, fxr_u32 bytes) {
      fxr_pack_connection(event, fields, bytes);
      return fxr_connection_bytes(event);
    });
  }
  void Receive(uint64_t time, uint32_t number, uint32_t tid, uint32_t bytes = 10) {
    script_.Slot(time, 0, FXR_SLOT_REQUEST_RECEIVE, fxr_pack_request_receive({tid, number, bytes}));
  }
  void Send(uint64_t time, uint32_t number, uint32_t tid, uint32_t bytes = 20) {
    script_.Slot(time, 0, FXR_SLOT_REQUEST_SEND, fxr_pack_request_send({tid, number, bytes}));
  }
  void Text(uint64_t time, uint32_t number, uint32_t tid, std::string_view text,
            uint32_t flags = 0) {
    fxr_request_text_long fields{tid, number, static_cast<fxr_u32>(text.size()) | flags};
    Side(time, text, [&](fxr_long* event, fxr_u32 bytes) {
      fxr_pack_request_text(event, fields, bytes);
      return fxr_request_text_bytes(event);
    });
  }
  void SendWithContext(uint64_t time, uint32_t number, uint32_t tid, std::string_view ids) {
    fxr_request_context_long fields{tid, number, 20};
    Side(time, ids, [&](fxr_long* event, fxr_u32 bytes) {
      fxr_pack_request_context(event, fields, bytes);
      return fxr_request_context_bytes(event);
    });
  }
  void Close(uint64_t time, uint32_t number, bool closed) {
    script_.Slot(time, 0, FXR_SLOT_REQUEST_CLOSE,
                 fxr_pack_request_close({number, static_cast<fxr_u8>(closed ? 1 : 0)}));
  }
  static void ExpectWords(const std::string& line, std::initializer_list<const char*> words) {
    for (const char* word : words) EXPECT_NE(line.find(word), std::string::npos) << line;
  }

  CaptureScript script_;
};

TEST_F(RequestTranslatorTest, AServersRequestIsFromReceiveToSend) {
  Connect(10, 1, FXR_REQUEST_SERVER, 6379, 5000);
  Receive(11, 1, 7);
  Send(20, 1, 8);
  Receive(30, 1, 8);
  Send(40, 1, 8);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 4u);
  ExpectWords(lines[0], {"11 ", "server", "request:redis", "side=server",
                         "connection=127.0.0.1:6379 -> 127.0.0.1:5000"});
  ExpectWords(lines[1], {"20 ", "worker", "request:redis", "bytes_in=10", "bytes_out=20"});
}

TEST_F(RequestTranslatorTest, AClientsRequestIsFromSendToReceive) {
  Connect(10, 1, FXR_REQUEST_CLIENT, 5000, 6379);
  Connect(10, 2, FXR_REQUEST_CLIENT, 5001, 8080, std::string_view("\x0a\0\0\1\x0a\0\0\2", 8));
  Send(11, 1, 9);
  Receive(20, 1, 9);
  Send(21, 2, 9);
  Receive(22, 2, 9);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 4u);
  ExpectWords(lines[0], {"11 ", "request:to redis", "side=client"});
  ExpectWords(lines[1], {"20 ", "bytes_in=10", "bytes_out=20"});
  ExpectWords(lines[2], {"request:to 10.0.0.2:8080"});
}

TEST_F(RequestTranslatorTest, WritesTheTraceContextOfTheSender) {
  const std::string ids(
      "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36\0\xf0\x67\xaa\x0b\xa9\2"
      "\xb7",
      24);
  Connect(10, 1, FXR_REQUEST_SERVER, 6379, 5000);
  Connect(10, 2, FXR_REQUEST_CLIENT, 5000, 6379);
  SendWithContext(11, 2, 9, ids);
  Receive(12, 1, 7);
  SendWithContext(20, 1, 8, ids);
  Receive(21, 2, 9);
  SendWithContext(22, 2, 9, ids.substr(1));
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 4u);
  const char* const trace = "trace_id=4bf92f3577b34da6a3ce929d0e0e4736";
  ExpectWords(lines[0], {"11 ", "side=client", trace, "span_id=00f067aa0ba902b7"});
  ExpectWords(lines[2], {"20 ", "worker", "bytes_out=20", trace, "span_id=00f067aa0ba902b7"});
  for (const size_t without : {1, 3}) EXPECT_EQ(lines[without].find("trace_id"), std::string::npos);
  // Too few bytes.
  EXPECT_EQ(script_.translator().stats().unreadable, 1u);
}

TEST_F(RequestTranslatorTest, LinksBothEndsOfALocalConnection) {
  // The server's socket is for IPv6.
  const std::string mapped("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16);
  Connect(10, 1, FXR_REQUEST_CLIENT, 5000, 8080);
  Send(11, 1, 9);
  Connect(12, 2, FXR_REQUEST_SERVER, 8080, 5000, mapped + mapped);
  Receive(13, 2, 8);
  Send(14, 2, 8);
  Receive(15, 1, 9);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 4u);
  ExpectWords(lines[1], {"request::8080"});
  ExpectWords(lines[2], {"peer_pid=9"});
  ExpectWords(lines[3], {"peer_pid=7"});
}

TEST_F(RequestTranslatorTest, IgnoresTheGreetingOfAServer) {
  Connect(10, 1, FXR_REQUEST_SERVER, 3306, 5000);
  Send(11, 1, 7);
  Connect(10, 2, FXR_REQUEST_CLIENT, 5000, 3306);
  Receive(12, 2, 9);
  EXPECT_TRUE(script_.Lines("request:").empty());
  EXPECT_EQ(script_.translator().stats().unmatched_ends, 0u);
  EXPECT_EQ(script_.translator().stats().no_request, 4u);
}

TEST_F(RequestTranslatorTest, RequestsWithoutAnAnswerEnd) {
  Connect(10, 1, FXR_REQUEST_SERVER, 80, 5000);
  Connect(10, 2, FXR_REQUEST_CLIENT, 5000, 80);
  Send(11, 2, 9);
  // The client shuts down its sending side and waits for the response.
  Close(12, 2, false);
  Receive(13, 1, 7);
  Close(14, 1, false);
  Close(15, 2, true);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 4u);
  ExpectWords(lines[2], {"14 ", "unanswered=closed"});
  ExpectWords(lines[3], {"15 ", "unanswered=closed"});
}

TEST_F(RequestTranslatorTest, LossesEndOpenRequests) {
  Connect(10, 1, FXR_REQUEST_SERVER, 80, 5000);
  Receive(11, 1, 7);
  script_.Slot(12, 0, FXR_SLOT_LOSS, fxr_pack_loss({3, FXR_CATEGORY_REQUEST}));
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 2u);
  ExpectWords(lines[1], {"12 ", "unanswered=lost"});
}

TEST_F(RequestTranslatorTest, ConnectionsThatWereNotAnnouncedAreCounted) {
  Receive(11, 1, 7);
  Send(12, 1, 7);
  EXPECT_EQ(script_.translator().stats().unmatched_ends, 2u);
  EXPECT_TRUE(script_.Lines("request:").empty());
}

TEST_F(RequestTranslatorTest, RepeatedAnnouncementsChangeNothing) {
  Connect(10, 1, FXR_REQUEST_SERVER, 80, 5000);
  Receive(11, 1, 7);
  Connect(12, 1, FXR_REQUEST_SERVER, 80, 5000);
  Send(13, 1, 7);
  EXPECT_EQ(script_.Lines("request:").size(), 2u);
}

TEST_F(RequestTranslatorTest, AReusedNumberReplacesTheConnection) {
  Connect(10, 1, FXR_REQUEST_SERVER, 80, 5000);
  Receive(11, 1, 7);
  Connect(12, 1, FXR_REQUEST_SERVER, 80, 5001);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 2u);
  ExpectWords(lines[1], {"12 ", "unanswered=lost"});
}

class NamedRequestTranslatorTest : public RequestTranslatorTest {
 protected:
  NamedRequestTranslatorTest() : RequestTranslatorTest({.http = true}) {}
};

TEST_F(NamedRequestTranslatorTest, TextNamesARequest) {
  Connect(10, 1, FXR_REQUEST_SERVER, 8080, 5000);
  Text(11, 1, 7, "GET /a?b HTTP/1.1\r\n");
  Send(12, 1, 7);
  Text(13, 1, 7, "\x17\3\3\0");
  Send(14, 1, 7);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 4u);
  ExpectWords(lines[0], {"request:GET /a {"});
  ExpectWords(lines[1], {"request:GET /a {"});
  ExpectWords(lines[2], {"request::8080"});
}

TEST_F(NamedRequestTranslatorTest, AShortTextContinuesWithTheNextReceive) {
  const std::string_view rest = "ET /a HTTP/1.1\r\n\r\n";
  Connect(10, 1, FXR_REQUEST_SERVER, 8080, 5000);
  // It may be a whole request, because the protocol is unknown.
  Text(11, 1, 7, "G");
  Text(12, 1, 8, rest, FXR_REQUEST_TEXT_CONTINUES);
  Send(13, 1, 8);
  Text(14, 1, 7, "GET /b HTTP/1.1\r\n\r\n");
  Send(15, 1, 8);
  Text(16, 1, 7, "G");
  Text(17, 1, 8, rest, FXR_REQUEST_TEXT_CONTINUES);
  Send(18, 1, 7);
  // No text continues this one.
  Text(19, 1, 7, "G");
  Send(20, 1, 8);
  const auto lines = script_.Lines("request:");
  ASSERT_EQ(lines.size(), 8u);
  ExpectWords(lines[0], {"11 ", "server", "request::8080"});
  ExpectWords(lines[1], {"13 ", "worker", "request::8080"});
  ExpectWords(lines[4], {"17 ", "worker", "request:GET /a {"});
  ExpectWords(lines[5], {"18 ", "server", "request:GET /a {bytes_in=1 bytes_out=20}"});
  ExpectWords(lines[6], {"20 ", "request::8080"});
  ExpectWords(lines[7], {"20 ", "request::8080"});
}

}  // namespace
}  // namespace translate
