// SPDX-License-Identifier: BSD-2-Clause
#include "serve/peer_user.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sstream>

#include "util/unique_fd.h"

namespace serve {
namespace {

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:2329 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1\n"
    "   1: 0100007F:C350 0100007F:2329 01 00000000:00000000 00:00000000 00000000  1000        0 2\n"
    "   2: 0100007F:C351 0100007F:2329 06 00000000:00000000 00:00000000 00000000     0        0 0\n"
    "   3: 0200007F:C352 0100007F:2329 01 00000000:00000000 00:00000000 00000000  1001        0 3\n"
    "nonsense\n";

TEST(PeerUserTest, FindsTheOwnerOfTheOtherEnd) {
  std::istringstream table(kTable);
  EXPECT_EQ(PeerUserIn(table, 50000, 9001), 1000U);
}

TEST(PeerUserTest, IgnoresClosedAndOtherSockets) {
  for (const uint16_t port : {50001, 50002, 50003}) {
    std::istringstream table(kTable);
    EXPECT_FALSE(PeerUserIn(table, port, 9001)) << port;
  }
}

TEST(PeerUserTest, FindsTheOwnerOfARealConnection) {
  const util::UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in here = {};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof here;
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  ASSERT_EQ(bind(listener.get(), address, length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), address, &length), 0);
  const uint16_t port = ntohs(here.sin_port);
  const util::UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(client.get(), address, length), 0);
  sockaddr_in there = {};
  length = sizeof there;
  ASSERT_EQ(getsockname(client.get(), reinterpret_cast<sockaddr*>(&there), &length), 0);
  EXPECT_EQ(PeerUser(ntohs(there.sin_port), port), geteuid());
  EXPECT_FALSE(PeerUser(port, port));
}

}  // namespace
}  // namespace serve
