// SPDX-License-Identifier: BSD-2-Clause
#include "output/open_timeout.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>

#include <cerrno>

namespace output {
namespace {

constexpr int kLookMs = 20;

}  // namespace

util::UniqueFd OpenWithin(int directory, const std::string& path, int flags, mode_t mode,
                          const KeepWaiting& keep_waiting) {
  for (;;) {
    util::UniqueFd fd(openat(directory, path.c_str(), flags | O_NONBLOCK, mode));
    if (fd) return fd;
    if (errno == EINTR) continue;
    // fifo(7): ENXIO means that no process has it open for reading. There is no notification, so
    // poll.
    if (errno != ENXIO) return fd;
    if (keep_waiting && !keep_waiting()) {
      errno = ECANCELED;
      return fd;
    }
    const timespec pause{.tv_sec = 0, .tv_nsec = kLookMs * 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

bool WaitUntilWritable(int fd, const KeepWaiting& keep_waiting) {
  for (;;) {
    pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
    const int got = poll(&ready, 1, keep_waiting ? kLookMs : -1);
    if (got > 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (keep_waiting && !keep_waiting()) {
      errno = ECANCELED;
      return false;
    }
  }
}

util::UniqueFd ReopenWithoutBlocking(int fd) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return util::UniqueFd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

}  // namespace output
