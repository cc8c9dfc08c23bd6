// SPDX-License-Identifier: BSD-2-Clause
#include "util/process_handle.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77  // Linux 6.5
#endif

namespace util {
namespace {

// Offset of this time namespace (time_namespaces(7)) to CLOCK_BOOTTIME, ns.
int64_t BoottimeOffset() {
  std::ifstream file("/proc/self/timens_offsets");
  std::string clock;
  int64_t seconds = 0;
  int64_t ns = 0;
  while (file >> clock >> seconds >> ns) {
    if (clock == "boottime") return seconds * 1'000'000'000 + ns;
  }
  return 0;
}

}  // namespace

std::optional<ProcessStat> ReadProcessStat(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // The name, in parentheses, may contain any characters.
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  ProcessStat stat;
  std::string skipped;
  fields >> skipped >> stat.parent >> skipped >> stat.session;
  constexpr int kSession = 6;
  constexpr int kStartTime = 22;
  for (int field = kSession + 1; field < kStartTime; ++field) fields >> skipped;
  int64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  // This process's time namespace may have another CLOCK_BOOTTIME.
  constexpr int64_t kNsPerTick = 10'000'000;
  stat.start_ticks = static_cast<uint64_t>(start - BoottimeOffset() / kNsPerTick);
  return stat;
}

std::optional<uid_t> ReadProcessUser(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("Uid:")) continue;
    uid_t user = 0;
    std::istringstream fields(line.substr(4));
    if (fields >> user) return user;
  }
  return std::nullopt;
}

std::optional<ProcessHandle> ProcessHandle::Make(UniqueFd pidfd, pid_t pid) {
  if (!pidfd) return std::nullopt;
  const auto stat = ReadProcessStat(pid);
  ProcessHandle handle;
  handle.pidfd_ = std::move(pidfd);
  handle.pid_ = pid;
  if (stat) handle.start_ticks_ = stat->start_ticks;
  // Alive after the reading: what was read belongs to this process.
  if (!stat || !handle.IsAlive()) return std::nullopt;
  return handle;
}

std::optional<ProcessHandle> ProcessHandle::Open(pid_t pid) {
  return Make(UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))), pid);
}

std::optional<ProcessHandle> ProcessHandle::OfPeer(int socket, pid_t pid) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0) {
    return Make(UniqueFd(pidfd), pid);
  }
  if (errno != ENOPROTOOPT) return std::nullopt;
  return Open(pid);
}

bool ProcessHandle::IsAlive() const {
  pollfd exited{pidfd_.get(), POLLIN, 0};
  return poll(&exited, 1, 0) == 0;
}

}  // namespace util
