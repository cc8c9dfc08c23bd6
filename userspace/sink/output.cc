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

#include "output/open_output.h"

namespace sink {
namespace {

std::string HintFor(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "free space there, or write elsewhere with -o; a name that ends in .gz makes traces "
             "much smaller";
    case EDQUOT:
      return "the disk quota is used up; write elsewhere with -o, or smaller, to a name that ends "
             "in .gz";
    case EFBIG:
      return "the file size limit is reached (ulimit -f, or the file system's); a name that ends "
             "in .gz "
             "makes traces much smaller";
    default:
      return "";
  }
}

}  // namespace

util::Result<Output> Output::OpenFile(const std::string& path, const output::FileOptions& options) {
  auto opened = output::OpenOutputAt(path, options);
  if (!opened) return opened.TakeError();
  Output output(std::move(opened->fd), path);
  output.file_ = std::move(opened->file);
  return output;
}

util::Result<Output> Output::OpenFile(const std::string& path) {
  output::FileOptions options;
  options.recording = true;
  auto output = OpenFile(path, options);
  if (!output || !output->file_) return output;
  if (auto published = output->file_->Publish(); !published) return published.TakeError();
  return output;
}

util::Result<Output> Output::OpenStdout() {
  const std::string name = "standard output";
  auto fd = output::OpenStandardOutput(STDOUT_FILENO, name);
  if (!fd) return fd.TakeError();
  return Output(std::move(*fd), name);
}

Output::Output(util::UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {
  struct stat status = {};
  regular_ = fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!regular_) return;
  // In append mode writes go to the end, whatever the offset is.
  const int flags = fcntl(fd_.get(), F_GETFL);
  const off_t offset = (flags & O_APPEND) != 0 ? status.st_size : lseek(fd_.get(), 0, SEEK_CUR);
  start_ = offset > 0 ? static_cast<uint64_t>(offset) : 0;
}

void Output::Fail(int error_number) {
  stuck_ = true;
  if (error_) return;
  if (error_number == ECANCELED) {
    error_ = util::Error{fmt::format("{} was not read to its end", name_),
                         "the part that was read may end inside a record"};
    return;
  }
  if (error_number == EPIPE) {
    error_ = util::Error{fmt::format("the reader of {} closed it", name_),
                         "the part that was read may end inside a record"};
    return;
  }
  error_ = util::Error{fmt::format("cannot write {}: {}", name_, std::strerror(error_number)),
                       HintFor(error_number)};
}

void Output::WaitWhile(output::KeepWaiting keep_waiting) {
  keep_waiting_ = std::move(keep_waiting);
  struct stat status = {};
  if (fstat(fd_.get(), &status) != 0) return;
  is_socket_ = S_ISSOCK(status.st_mode);
  if (!S_ISFIFO(status.st_mode)) return;
  // O_NONBLOCK belongs to the open file description, which a shell and the command may share.
  if (auto own = output::ReopenWithoutBlocking(fd_.get())) {
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
    if (!output::WaitUntilWritable(fd_.get(), keep_waiting_)) return -1;
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
    if (errno == EAGAIN && output::WaitUntilWritable(fd_.get(), keep_waiting_)) continue;
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
    const bool named = file_ && file_->published();
    const bool removed = named && fstat(fd_.get(), &status) == 0 && status.st_nlink == 0;
    // Some file systems report errors of earlier writes only here.
    if (close(fd_.release()) != 0 && errno != EINTR) Fail(errno);
    if (removed && !error_) {
      error_ = util::Error{fmt::format("{} was removed while it was written", name_), ""};
    }
  }
  if (file_ && !file_->recording() && !file_->with_others()) {
    auto published = file_->Publish();
    if (!published && !error_) error_ = published.TakeError();
  }
  file_.reset();
  if (error_) return *error_;
  return util::Ok();
}

}  // namespace sink
