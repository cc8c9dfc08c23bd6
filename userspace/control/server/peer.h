// SPDX-License-Identifier: BSD-2-Clause
// Who is at the other end of a Unix socket, as the kernel says it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "util/process_handle.h"
#include "util/result.h"

namespace control {

// With the rights that it had when it connected.
struct Peer {
  uid_t uid = 0;
  gid_t gid = 0;
  pid_t pid = 0;
  std::vector<gid_t> groups;
  // Null: the process has exited.
  std::shared_ptr<const util::ProcessHandle> process = nullptr;

  static util::Result<Peer> Of(int socket);
  // Root, the user who runs this process, and members of `group`.
  bool MayControl(std::optional<gid_t> group) const;
};

}  // namespace control
