// SPDX-License-Identifier: BSD-2-Clause
#include "sink/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sink/sudo_user.h"

namespace sink {
namespace {

util::Error OpenError(const std::string& path, int error_number) {
  util::Error error{fmt::format("cannot write {}: {}", path, std::strerror(error_number)), ""};
  switch (error_number) {
    case ENOENT:
      error.hint = "its directory does not exist; create it, or name another file with -o";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
    case ENOTDIR:
    case ETXTBSY:
      error.hint = "name another file with -o";
      break;
    default:
      break;
  }
  return error;
}

std::string HintFor(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "free space there, or write elsewhere with -o; -z makes traces much smaller";
    case EDQUOT:
      return "the disk quota is used up; write elsewhere with -o, or smaller with -z";
    case EFBIG:
      return "the file size limit is reached (ulimit -f, or the file system's); -z makes traces "
             "much smaller";
    default:
      return "";
  }
}

}  // namespace

util::Result<Output> Output::OpenFile(const std::string& path,
                                      const util::KeepWaiting& keep_waiting) {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  constexpr mode_t kOwnerAlone = 0600;
  util::UniqueFd fd(open(path.c_str(), kFlags | O_CREAT | O_EXCL, kOwnerAlone));
  // A file of an earlier recording makes room instead of being cut to nothing: ext4 writes a file
  // that was cut out to the disk when it is closed, and the recorder would wait for that. Whose it
  // was and who may read it stays.
  struct stat earlier = {};
  if (!fd && errno == EEXIST && lstat(path.c_str(), &earlier) == 0 && S_ISREG(earlier.st_mode) &&
      earlier.st_nlink == 1 && unlink(path.c_str()) == 0) {
    fd.reset(open(path.c_str(), kFlags | O_CREAT | O_EXCL, kOwnerAlone));
    if (fd && fchown(fd.get(), earlier.st_uid, earlier.st_gid) == 0 &&
        fchmod(fd.get(), earlier.st_mode & 07777) == 0) {
      return Output(std::move(fd), path);
    }
  }
  if (fd) {
    if (auto given = GiveToSudoUser(fd.get()); !given.ok()) return given.TakeError();
    return Output(std::move(fd), path);
  }
  // What is there is no plain file, or may not be replaced. A link that leads nowhere exists as
  // well, and O_CREAT makes what it points to.
  if (errno == EEXIST) {
    fd = util::OpenPatiently(AT_FDCWD, path, kFlags | O_CREAT | O_TRUNC, kOwnerAlone, keep_waiting);
  }
  if (!fd && errno == ECANCELED) {
    return util::Error{fmt::format("nobody reads {}", path), "it is a FIFO; start its reader"};
  }
  if (!fd) return OpenError(path, errno);
  return Output(std::move(fd), path);
}

util::Result<Output> Output::OpenStdout() {
  if (isatty(STDOUT_FILENO) == 1) {
    return util::Error{"standard output is a terminal, and a trace is not text",
                       "redirect it to a file or a pipe, or name a file with -o"};
  }
  util::UniqueFd fd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!fd) return OpenError("standard output", errno);
  return Output(std::move(fd), "standard output");
}

Output::Output(util::UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {
  struct stat status = {};
  regular_ = fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!regular_) return;
  // In append mode the offset is of no account; writing goes to the end.
  const int flags = fcntl(fd_.get(), F_GETFL);
  const off_t offset = (flags & O_APPEND) != 0 ? status.st_size : lseek(fd_.get(), 0, SEEK_CUR);
  start_ = offset > 0 ? static_cast<uint64_t>(offset) : 0;
}

void Output::Fail(int error_number) {
  stuck_ = true;
  if (error_) return;
  if (error_number == ECANCELED) {
    error_ = util::Error{fmt::format("{} was not read to its end", name_),
                         "what has been read ends inside a record, perhaps"};
    return;
  }
  if (error_number == EPIPE) {
    error_ = util::Error{fmt::format("whoever read {} went away", name_),
                         "what it read until then ends inside a record, perhaps"};
    return;
  }
  error_ = util::Error{fmt::format("cannot write {}: {}", name_, std::strerror(error_number)),
                       HintFor(error_number)};
}

void Output::WaitWhile(util::KeepWaiting keep_waiting) {
  keep_waiting_ = std::move(keep_waiting);
  struct stat status = {};
  if (fstat(fd_.get(), &status) != 0) return;
  is_socket_ = S_ISSOCK(status.st_mode);
  if (!S_ISFIFO(status.st_mode)) return;
  // O_NONBLOCK belongs to the open file description, which a shell and the command may share.
  if (auto own = util::ReopenWithoutBlocking(fd_.get())) {
    fd_ = std::move(own);
  } else {
    blocks_ = true;
  }
}

ssize_t Output::WriteSome(std::span<const std::byte> bytes) {
  // Linux transfers less than 2 GiB in one call; a record can be longer.
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  size_t size = std::min(bytes.size(), kMostAtOnce);
  if (is_socket_) return send(fd_.get(), bytes.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (blocks_) {
    if (!util::WaitUntilWritable(fd_.get(), keep_waiting_)) return -1;
    // pipe(7): a pipe that can be written takes that much without blocking.
    size = std::min<size_t>(size, PIPE_BUF);
  }
  return write(fd_.get(), bytes.data(), size);
}

bool Output::Write(std::span<const std::byte> bytes) {
  if (stuck_) return false;
  while (!bytes.empty()) {
    const ssize_t written = WriteSome(bytes);
    if (written >= 0) {
      size_ += static_cast<uint64_t>(written);
      bytes = bytes.subspan(static_cast<size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN && util::WaitUntilWritable(fd_.get(), keep_waiting_)) continue;
    Fail(errno);
    return false;
  }
  return true;
}

bool Output::CutTo(uint64_t bytes) {
  if (!regular_ || !fd_ || bytes > size_) return false;
  const auto end = static_cast<off_t>(start_ + bytes);
  int result = 0;
  do {
    result = ftruncate(fd_.get(), end);
  } while (result != 0 && errno == EINTR);
  if (result != 0 || lseek(fd_.get(), end, SEEK_SET) < 0) return false;
  size_ = bytes;
  stuck_ = false;
  return true;
}

util::Status Output::Close() {
  if (fd_) {
    struct stat status = {};
    const bool removed = regular_ && fstat(fd_.get(), &status) == 0 && status.st_nlink == 0;
    // Some file systems report what went wrong with earlier writes here alone.
    if (close(fd_.release()) != 0 && errno != EINTR) Fail(errno);
    if (removed && !error_) {
      error_ = util::Error{fmt::format("{} was removed while it was written", name_), ""};
    }
  }
  if (error_) return *error_;
  return util::Ok();
}

}  // namespace sink
