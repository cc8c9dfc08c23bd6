// SPDX-License-Identifier: BSD-2-Clause
// A process that a pidfd pins: its pid cannot be mistaken for that of a later process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "util/unique_fd.h"

namespace util {

class ProcessHandle {
 public:
  // The process `pid`; nothing if it has exited.
  static std::optional<ProcessHandle> Open(pid_t pid);
  // The process that connected `socket`, whose SO_PEERCRED has `pid`; nothing if it has exited. On
  // kernels before 6.5 a process that exits before this call may be mistaken for its successor.
  static std::optional<ProcessHandle> OfPeer(int socket, pid_t pid);

  pid_t pid() const { return pid_; }
  // Start time after boot on the kernel's clock, in units of 10 ms (field 22 of /proc/PID/stat).
  // Identifies the process together with the pid.
  uint64_t start_ticks() const { return start_ticks_; }
  // The process has not exited.
  bool IsAlive() const;
  // Readable once the process has exited.
  int fd() const { return pidfd_.get(); }

 private:
  static std::optional<ProcessHandle> Make(UniqueFd pidfd, pid_t pid);

  UniqueFd pidfd_;
  pid_t pid_ = 0;
  uint64_t start_ticks_ = 0;
};

// Fields of /proc/PID/stat.
struct ProcessStat {
  pid_t parent = 0;
  pid_t session = 0;
  uint64_t start_ticks = 0;
};
std::optional<ProcessStat> ReadProcessStat(pid_t pid);
// The real user id of a process.
std::optional<uid_t> ReadProcessUser(pid_t pid);

}  // namespace util
