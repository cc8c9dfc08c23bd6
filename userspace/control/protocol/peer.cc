// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/peer.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
    return util::Error{
        fmt::format("cannot read the credentials of the client: {}", strerror(errno)), ""};
  }
  Peer peer{credentials.uid, credentials.gid, credentials.pid, {}, nullptr};
  socklen_t bytes = 32 * sizeof(gid_t);
  for (;;) {
    peer.groups.resize(bytes / sizeof(gid_t));
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &bytes) == 0) break;
    // On ERANGE the kernel has set the required size. Without groups the peer has fewer rights.
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

Peer Peer::Self() { return Peer{geteuid(), getegid(), getpid(), {}, nullptr}; }

bool Peer::IsPrivileged() const { return uid == 0 || uid == geteuid(); }

// Uses raw system calls. The functions of the C library change all threads, which a forked child
// does not have.
int Peer::Become() const {
  if (uid == geteuid()) return 0;
  if (syscall(SYS_setgroups, groups.size(), groups.data()) != 0 ||
      syscall(SYS_setresgid, gid, gid, gid) != 0 || syscall(SYS_setresuid, uid, uid, uid) != 0) {
    return errno;
  }
  return 0;
}

bool Peer::MayControl(std::optional<gid_t> group) const {
  if (IsPrivileged()) return true;
  if (!group) return false;
  return gid == *group || std::find(groups.begin(), groups.end(), *group) != groups.end();
}

}  // namespace control
