// SPDX-License-Identifier: BSD-2-Clause
// The socket that a controller listens on.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "util/result.h"
#include "util/unique_fd.h"

namespace control {

inline constexpr const char* kDefaultSocket = "/run/fxt-record/control";

// How often whoever has one looks whether it is still there, ns.
inline constexpr uint64_t kSocketCheckInterval = 1'000'000'000;

class ControlSocket {
 public:
  // Makes it, for its owner alone or for `group` too, and its folder if that is missing. A lock
  // beside it (PATH.lock) is held for as long as this object is there, so that what an ended
  // process left is told from what another one listens on, which is an error. Sets the process's
  // umask for a moment.
  static util::Result<std::unique_ptr<ControlSocket>> Bind(const std::string& path,
                                                           std::optional<gid_t> group);
  // The one that systemd has made and handed over (LISTEN_FDS); null if there is none.
  static util::Result<std::unique_ptr<ControlSocket>> FromServiceManager();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;
  ~ControlSocket();  // removes what it has made

  // Listens, and does not block.
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  // A socket was there whose process is gone.
  bool replaced_stale() const { return replaced_stale_; }
  // Clients still find it under its path.
  bool IsInPlace() const;
  // Makes it again there, after somebody has removed it or its folder.
  util::Status Restore();

 private:
  ControlSocket() = default;
  util::Status Lock();
  util::Status RemoveStale();
  util::Status Make();

  std::string path_;
  std::optional<gid_t> group_;
  util::UniqueFd lock_;
  util::UniqueFd fd_;
  struct stat made_ = {};
  bool ours_ = false;
  bool replaced_stale_ = false;
};

}  // namespace control
