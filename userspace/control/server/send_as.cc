// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/send_as.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "util/clock.h"
#include "util/unique_fd.h"

namespace control {
namespace {

// The interval between two checks of the progress, ms.
constexpr int kWatchMs = 50;
// The bytes of one write, which is the unit of progress.
constexpr size_t kChunkBytes = size_t{16} << 10;
// The longest wait for a killed process, ns. A hanging file system may delay its end further.
constexpr uint64_t kKilledNs = 1'000'000'000;

int WriteAll(int to, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(to, bytes, size);
    if (written >= 0) {
      bytes += written;
      size -= static_cast<size_t>(written);
    } else if (errno == EAGAIN) {
      pollfd ready{to, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Runs in the forked child of a process with threads, so it does not allocate. The exit status is 0
// or errno.
[[noreturn]] void Send(const Peer& client, int from, int to) {
  signal(SIGPIPE, SIG_IGN);
  // Keeps only these two open, so that a slow process does not hold the outputs of other clients.
  dup2(from, STDIN_FILENO);
  dup2(to, STDOUT_FILENO);
  syscall(SYS_close_range, STDERR_FILENO, ~0U, 0);
  int error = client.Become();
  // Becoming another user has reset it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char chunk[kChunkBytes];
  while (error == 0) {
    const ssize_t size = read(STDIN_FILENO, chunk, sizeof chunk);
    if (size == 0) break;
    error = size < 0 ? errno : WriteAll(STDOUT_FILENO, chunk, static_cast<size_t>(size));
  }
  _exit(error);
}

util::Error Failed(const std::string& name, int error) {
  if (error == EPIPE) return {fmt::format("the reader of {} has closed it", name), ""};
  return {fmt::format("cannot write {}: {}", name, strerror(error)), ""};
}

}  // namespace

util::Status SendAs(const Peer& client, int from, int to, const std::string& name,
                    const SendLimits& limits, const std::atomic<bool>& abandoned) {
  struct stat status = {};
  if (fstat(from, &status) != 0 || lseek(from, 0, SEEK_SET) != 0) return Failed(name, errno);
  const pid_t pid = fork();
  if (pid == 0) Send(client, from, to);
  if (pid < 0) return Failed(name, errno);
  const util::UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const uint64_t begin = util::MonotonicNow();
  const uint64_t deadline = begin + limits.idle +
                            static_cast<uint64_t>(static_cast<double>(status.st_size) * 1e9 /
                                                  static_cast<double>(limits.bytes_per_second));
  uint64_t progress_at = begin;
  uint64_t killed_at = 0;
  off_t progress = 0;
  pollfd ended{process.get(), POLLIN, 0};
  int result = 0;
  bool killed = false;
  while (waitpid(pid, &result, WNOHANG) == 0) {
    poll(&ended, 1, kWatchMs);
    const uint64_t now = util::MonotonicNow();
    // The child shares the file offset.
    const off_t offset = lseek(from, 0, SEEK_CUR);
    if (offset != progress) {
      progress = offset;
      progress_at = now;
    }
    if (killed && now > killed_at + kKilledNs) break;
    if (killed || (!abandoned && now < progress_at + limits.idle && now < deadline)) continue;
    killed = true;
    killed_at = now;
    kill(pid, SIGKILL);
  }
  if (killed) {
    return util::Error{fmt::format("{} was not read to its end", name),
                       "its reader is too slow; the part that was read may end inside a "
                       "record"};
  }
  if (!WIFEXITED(result)) {
    return util::Error{fmt::format("cannot write {}: the process that writes was killed", name),
                       ""};
  }
  return WEXITSTATUS(result) == 0 ? util::Ok() : Failed(name, WEXITSTATUS(result));
}

}  // namespace control
