// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/control_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace control {
namespace {

constexpr int kBacklog = 64;
// Five seconds.
constexpr int kLockTries = 250;
constexpr useconds_t kLockWaitUs = 20'000;
constexpr int kFirstPassedFd = 3;  // sd_listen_fds(3)

util::Error Failed(const std::string& path, const char* what) {
  const int error = errno;
  return {fmt::format("cannot {} {}: {}", what, path, strerror(error)),
          error == EACCES || error == EPERM
              ? "serving /run/fxt-record/control requires root; --socket "
                "selects another path"
              : ""};
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  return address;
}

bool IsServed(const std::string& path) {
  const util::UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = AddressOf(path);
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return true;
  }
  return errno == EAGAIN;  // a listening socket with a full backlog
}

int NumberOf(const char* variable) {
  const char* text = getenv(variable);
  int number = 0;
  if (text != nullptr) std::from_chars(text, text + strlen(text), number);
  return number;
}

}  // namespace

std::string SocketPath() {
  const char* path = secure_getenv("FXT_RECORD_SOCKET");
  return path != nullptr && *path != '\0' ? path : kDefaultSocket;
}

util::Result<std::unique_ptr<ControlSocket>> ControlSocket::Bind(const std::string& path,
                                                                 std::optional<gid_t> group) {
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) {
    return util::Error{fmt::format("the path of a socket must have 1 to {} bytes, but '{}' has {}",
                                   sizeof(sockaddr_un::sun_path) - 1, path, path.size()),
                       ""};
  }
  std::unique_ptr<ControlSocket> made(new ControlSocket);
  made->path_ = path;
  made->group_ = group;
  if (auto status = made->Make(); !status) return status.TakeError();
  return made;
}

util::Result<std::unique_ptr<ControlSocket>> ControlSocket::FromServiceManager() {
  std::unique_ptr<ControlSocket> none;
  const int count = NumberOf("LISTEN_FDS");
  if (NumberOf("LISTEN_PID") != getpid() || count == 0) return none;
  // Child processes must not see the variables.
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_PID");
  int listens = 0;
  socklen_t size = sizeof listens;
  if (count != 1 || getsockopt(kFirstPassedFd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
      listens == 0) {
    return util::Error{"the service manager must pass one listening socket",
                       "see ListenStream= in fxt-record.socket"};
  }
  std::unique_ptr<ControlSocket> made(new ControlSocket);
  made->fd_.reset(kFirstPassedFd);
  fcntl(kFirstPassedFd, F_SETFD, FD_CLOEXEC);
  fcntl(kFirstPassedFd, F_SETFL, fcntl(kFirstPassedFd, F_GETFL) | O_NONBLOCK);
  sockaddr_un address{};
  size = sizeof address;
  if (getsockname(kFirstPassedFd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
      address.sun_family == AF_UNIX) {
    made->path_.assign(address.sun_path, strnlen(address.sun_path, sizeof address.sun_path));
  }
  return made;
}

ControlSocket::~ControlSocket() {
  // Another process may have replaced the socket.
  if (ours_ && IsInPlace()) unlink(path_.c_str());
}

util::Status ControlSocket::Lock() {
  const std::string path = path_ + ".lock";
  util::UniqueFd lock(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!lock) return Failed(path, "open");
  // A process that holds the lock without listening is starting or ending. Waits for it.
  for (int tries = kLockTries; flock(lock.get(), LOCK_EX | LOCK_NB) != 0; --tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Failed(path, "lock");
    if (tries > 0 && !IsServed(path_)) {
      usleep(kLockWaitUs);
      continue;
    }
    return util::Error{fmt::format("another controller serves {}", path_),
                       "fxt-record status queries it; --socket PATH serves at another path"};
  }
  lock_ = std::move(lock);
  return util::Ok();
}

util::Status ControlSocket::RemoveStale() {
  struct stat existing = {};
  if (lstat(path_.c_str(), &existing) != 0) {
    if (errno == ENOENT) return util::Ok();
    return Failed(path_, "look at");
  }
  if (!S_ISSOCK(existing.st_mode)) {
    return util::Error{fmt::format("{} exists and is not a socket", path_),
                       "remove it, or select another path with --socket"};
  }
  if (IsServed(path_)) {
    return util::Error{fmt::format("another program serves {}", path_),
                       "select another path with --socket"};
  }
  if (unlink(path_.c_str()) != 0) return Failed(path_, "remove the stale");
  replaced_stale_ = true;
  return util::Ok();
}

util::Status ControlSocket::Make() {
  const std::string folder = path_.substr(0, path_.rfind('/') + 1);
  if (!folder.empty() && mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return Failed(folder, "make");
  }
  if (auto status = Lock(); !status) return status;
  if (auto status = RemoveStale(); !status) return status;
  util::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return Failed(path_, "make");
  const sockaddr_un address = AddressOf(path_);
  const mode_t before = umask(0177);
  const int bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(before);
  if (bound != 0) return Failed(path_, "make");
  ours_ = true;
  // Safe in steps, because clients cannot connect before listen().
  if (group_ && (chown(path_.c_str(), static_cast<uid_t>(-1), *group_) != 0 ||
                 chmod(path_.c_str(), 0660) != 0)) {
    return Failed(path_, "open to the group");
  }
  if (listen(fd.get(), kBacklog) != 0) return Failed(path_, "listen on");
  if (lstat(path_.c_str(), &made_) != 0) return Failed(path_, "look at");
  fd_ = std::move(fd);
  return util::Ok();
}

bool ControlSocket::IsInPlace() const {
  struct stat now = {};
  if (!ours_) return true;
  return lstat(path_.c_str(), &now) == 0 && now.st_dev == made_.st_dev &&
         now.st_ino == made_.st_ino;
}

util::Status ControlSocket::Restore() {
  // The directory may be new and have another lock file.
  lock_.reset();
  fd_.reset();
  return Make();
}

}  // namespace control
