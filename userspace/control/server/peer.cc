// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/peer.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace control {

util::Result<Peer> Peer::Of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return util::Error{fmt::format("cannot tell who connected: {}", strerror(errno)), ""};
  }
  Peer peer{credentials.uid, credentials.gid, credentials.pid, {}, nullptr};
  socklen_t bytes = 32 * sizeof(gid_t);
  for (;;) {
    peer.groups.resize(bytes / sizeof(gid_t));
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &bytes) == 0) break;
    // The kernel has said how much it takes; without them there are fewer rights.
    if (errno != ERANGE || bytes / sizeof(gid_t) <= peer.groups.size()) {
      bytes = 0;
      break;
    }
  }
  peer.groups.resize(bytes / sizeof(gid_t));
  if (auto process = util::ProcessHandle::OfPeer(socket, peer.pid)) {
    peer.process = std::make_shared<const util::ProcessHandle>(std::move(*process));
  }
  return peer;
}

bool Peer::MayControl(std::optional<gid_t> group) const {
  if (uid == 0 || uid == geteuid()) return true;
  if (!group) return false;
  return gid == *group || std::find(groups.begin(), groups.end(), *group) != groups.end();
}

}  // namespace control
