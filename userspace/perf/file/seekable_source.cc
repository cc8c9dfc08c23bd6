// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/seekable_source.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace perf {

namespace {

class FdSource : public SeekableSource {
 public:
  FdSource(util::UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {
    struct stat status;
    if (fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode)) {
      size_ = static_cast<uint64_t>(status.st_size);
    }
  }

  util::Result<size_t> Read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t n = read(fd_.get(), out.data() + done, out.size() - done);
      if (n == 0) break;
      if (n < 0) {
        if (errno == EINTR) continue;
        if (errno == EAGAIN) {
          // Another process made the pipe non-blocking.
          pollfd wait = {fd_.get(), POLLIN, 0};
          poll(&wait, 1, -1);
          continue;
        }
        return util::Error{fmt::format("{}: cannot read: {}", name_, strerror(errno)), ""};
      }
      done += static_cast<size_t>(n);
    }
    return done;
  }

  std::optional<uint64_t> size() const override { return size_; }

  util::Status Seek(uint64_t offset) override {
    if (lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
      return util::Error{fmt::format("{}: cannot seek: {}", name_, strerror(errno)), ""};
    }
    return util::Ok();
  }

 private:
  util::UniqueFd fd_;
  std::string name_;
  std::optional<uint64_t> size_;
};

class MemorySource : public SeekableSource {
 public:
  MemorySource(util::Bytes bytes, bool seekable) : bytes_(bytes), seekable_(seekable) {}

  util::Result<size_t> Read(std::span<std::byte> out) override {
    const size_t n = std::min(out.size(), bytes_.size() - place_);
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(place_), n, out.begin());
    place_ += n;
    return n;
  }

  std::optional<uint64_t> size() const override {
    return seekable_ ? std::optional<uint64_t>(bytes_.size()) : std::nullopt;
  }

  util::Status Seek(uint64_t offset) override {
    if (!seekable_) return util::Error{"cannot seek in a pipe", ""};
    place_ = std::min<uint64_t>(offset, bytes_.size());
    return util::Ok();
  }

 private:
  util::Bytes bytes_;
  bool seekable_;
  size_t place_ = 0;
};

}  // namespace

util::Result<std::unique_ptr<SeekableSource>> OpenFile(const std::string& path) {
  const bool standard_input = path == "-";
  util::UniqueFd fd(standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                   : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string name = standard_input ? "standard input" : path;
  if (!fd) return util::Error{fmt::format("{}: cannot open: {}", name, strerror(errno)), ""};
  struct stat status;
  if (fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return util::Error{fmt::format("{}: is a directory", name),
                       "perf record --threads writes a directory; record without it"};
  }
  return MakeFdSource(std::move(fd), name);
}

std::unique_ptr<SeekableSource> MakeFdSource(util::UniqueFd fd, std::string name) {
  return std::make_unique<FdSource>(std::move(fd), std::move(name));
}

std::unique_ptr<SeekableSource> MakeMemorySource(util::Bytes bytes, bool seekable) {
  return std::make_unique<MemorySource>(bytes, seekable);
}

}  // namespace perf
