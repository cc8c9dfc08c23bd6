// SPDX-License-Identifier: BSD-2-Clause
#include "serve/peer_user.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <fstream>
#include <sstream>
#include <string>

namespace serve {
namespace {

// The format of the table: the address in network byte order, printed as a number of this machine.
std::string Address(uint16_t port) {
  return fmt::format("{:08X}:{:04X}", htonl(INADDR_LOOPBACK), port);
}

}  // namespace

std::optional<uid_t> PeerUserIn(std::istream& table, uint16_t from, uint16_t to) {
  const std::string local = Address(from);
  const std::string remote = Address(to);
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, here, there, state, queues, timer, retries;
    uid_t uid = 0;
    if (!(words >> number >> here >> there >> state >> queues >> timer >> retries >> uid)) continue;
    // 01 is ESTABLISHED. Closed sockets without an owner appear as root's.
    if (here == local && there == remote && state == "01") return uid;
  }
  return std::nullopt;
}

std::optional<uid_t> PeerUser(uint16_t from, uint16_t to) {
  std::ifstream table("/proc/self/net/tcp");
  return PeerUserIn(table, from, to);
}

}  // namespace serve
