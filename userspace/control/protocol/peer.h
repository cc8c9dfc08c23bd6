// SPDX-License-Identifier: BSD-2-Clause
// The process at the other end of a Unix socket, as the kernel reports it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "util/process_handle.h"
#include "util/result.h"

namespace control {

// The credentials are those at connect(2).
struct Peer {
  uid_t uid = 0;
  gid_t gid = 0;
  pid_t pid = 0;
  std::vector<gid_t> groups;
  // Null: the process has exited.
  std::shared_ptr<const util::ProcessHandle> process = nullptr;

  static util::Result<Peer> Of(int socket);
  // This process.
  static Peer Self();
  // True for root and for the user of this process.
  bool IsPrivileged() const;
  // True for privileged peers and for members of `group`.
  bool MayControl(std::optional<gid_t> group) const;
  // Gives this process the user, group and groups of the peer. Returns 0 or errno. Made for
  // a forked child of a process with threads: does not allocate, changes only the calling thread.
  int Become() const;
};

}  // namespace control
