// SPDX-License-Identifier: BSD-2-Clause
// The listening socket of a controller.
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

// The value of FXT_RECORD_SOCKET, which libfxt-provider uses too; else kDefaultSocket.
std::string SocketPath();

// The interval at which its owner checks that the socket is still in its place; ns.
inline constexpr uint64_t kSocketCheckInterval = 1'000'000'000;

class ControlSocket {
 public:
  // Creates the socket, for its owner or also for `group`, and its directory. Holds a lock beside
  // it (PATH.lock) for the lifetime of the object. The lock shows whether an existing socket is
  // stale or served by another process, which is an error. Changes the process's umask briefly.
  static util::Result<std::unique_ptr<ControlSocket>> Bind(const std::string& path,
                                                           std::optional<gid_t> group);
  // The listening socket that systemd passes (LISTEN_FDS); null if there is none.
  static util::Result<std::unique_ptr<ControlSocket>> FromServiceManager();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;
  ~ControlSocket();  // removes a socket that it created

  // The listening, non-blocking socket.
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  // True if it replaced the socket of a process that has ended.
  bool replaced_stale() const { return replaced_stale_; }
  // True if the path still leads to this socket.
  bool IsInPlace() const;
  // Creates the socket again after it or its directory was removed.
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
