// SPDX-License-Identifier: BSD-2-Clause
#include "source/peek.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace source {
namespace {

constexpr size_t kBytes = 8;

// tee(2) copies the bytes of a pipe without consuming them.
ssize_t PeekPipe(int fd, std::array<char, kBytes>& start) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const util::UniqueFd from(ends[0]);
  const util::UniqueFd to(ends[1]);
  ssize_t n = 0;
  do {
    n = tee(fd, to.get(), start.size(), 0);
  } while (n < 0 && errno == EINTR);
  return n <= 0 ? n : read(from.get(), start.data(), static_cast<size_t>(n));
}

}  // namespace

util::Result<PeekedInput> PeekInput(const std::string& path) {
  util::UniqueFd fd(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0) {
    return util::Error{fmt::format("cannot open {}: {}", path == "-" ? "standard input" : path,
                                   std::generic_category().message(errno)),
                       ""};
  }
  std::array<char, kBytes> start{};
  ssize_t n = 0;
  if (S_ISREG(info.st_mode)) {
    n = pread(fd.get(), start.data(), start.size(), lseek(fd.get(), 0, SEEK_CUR));
  } else if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) {
    pollfd input = {fd.get(), POLLIN, 0};
    poll(&input, 1, -1);
    n = S_ISFIFO(info.st_mode) ? PeekPipe(fd.get(), start)
                               : recv(fd.get(), start.data(), start.size(), MSG_PEEK);
  }
  return PeekedInput(std::move(fd), std::string(start.data(), static_cast<size_t>(n > 0 ? n : 0)));
}

}  // namespace source
