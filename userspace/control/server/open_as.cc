// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/open_as.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "control/protocol/descriptors.h"

namespace control {
namespace {

// Runs in the forked child of a process with threads, so it does not allocate.
[[noreturn]] void OpenAndSend(const Peer& peer, const char* path, int answer) {
  int error = peer.Become();
  // Becoming another user has reset it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  umask(0);
  int file = -1;
  if (error == 0) {
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) error = errno;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(&error), sizeof error);
  SendWithDescriptor(answer, bytes, file);
  _exit(0);
}

}  // namespace

util::Result<OpenAs> OpenAs::Begin(const Peer& peer, const std::string& path) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return util::Error{fmt::format("cannot open {}: {}", path, strerror(errno)), ""};
  }
  util::UniqueFd ours(ends[0]);
  const util::UniqueFd theirs(ends[1]);
  const pid_t pid = fork();
  if (pid == 0) OpenAndSend(peer, path.c_str(), theirs.get());
  if (pid < 0) return util::Error{fmt::format("cannot open {}: {}", path, strerror(errno)), ""};
  return OpenAs(pid, std::move(ours), path);
}

OpenAs::OpenAs(OpenAs&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      answer_(std::move(other.answer_)),
      path_(std::move(other.path_)) {}

OpenAs::~OpenAs() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

util::Result<util::UniqueFd> OpenAs::Finish() {
  int error = 0;
  std::vector<util::UniqueFd> files;
  const ssize_t size =
      ReceiveWithDescriptors(answer_.get(), reinterpret_cast<char*>(&error), sizeof error, files);
  if (size != sizeof error || (error == 0 && files.size() != 1)) {
    return util::Error{fmt::format("cannot write {}: it could not be opened", path_), ""};
  }
  if (error != 0) {
    return util::Error{fmt::format("cannot write {}: {}", path_, strerror(error)),
                       error == EEXIST ? "an existing file is not replaced: name a new file" : ""};
  }
  return std::move(files.front());
}

}  // namespace control
