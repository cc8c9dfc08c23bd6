// SPDX-License-Identifier: BSD-2-Clause
#include "source/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "source/gzip_source.h"
#include "source/peeked_source.h"
#include "util/unique_fd.h"

namespace source {
namespace {

util::Error CannotOpen(const std::string& path, int error) {
  util::Error result;
  result.message = fmt::format("cannot open {}: {}", path, std::generic_category().message(error));
  if (error == EACCES) {
    result.hint = "a trace made as root may be readable by root alone: chown it, or use sudo";
  }
  return result;
}

// A stream that waits for more bytes: another program may have made the pipe non-blocking.
class WaitingSource final : public fxt::ByteSource {
 public:
  explicit WaitingSource(util::UniqueFd fd) : fd_(std::move(fd)), source_(fd_.get()) {}

  fxt::ReadResult Read(std::span<std::byte> into) override {
    for (;;) {
      const fxt::ReadResult result = source_.Read(into);
      if (result.kind != fxt::ReadResult::Kind::kAgain) return result;
      pollfd input = {fd_.get(), POLLIN, 0};
      poll(&input, 1, -1);
    }
  }
  std::string ErrorText() const override { return source_.ErrorText(); }
  uint64_t position() const override { return source_.position(); }
  uint64_t total() const override { return source_.total(); }

 private:
  util::UniqueFd fd_;
  fxt::FdSource source_;
};

std::unique_ptr<fxt::ByteSource> OpenStream(util::UniqueFd fd) {
  auto peeked = std::make_unique<PeekedSource>(std::make_unique<WaitingSource>(std::move(fd)));
  const bool gzip = GzipSource::Matches(peeked->Peek(2));
  if (gzip) return std::make_unique<GzipSource>(std::move(peeked));
  return peeked;
}

}  // namespace

util::Result<std::unique_ptr<fxt::ByteSource>> OpenInput(const std::string& path) {
  const bool standard_input = path == "-";
  util::UniqueFd fd(standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string name = standard_input ? "standard input" : path;
  if (!fd) return CannotOpen(name, errno);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return CannotOpen(name, errno);
  if (S_ISDIR(info.st_mode)) return CannotOpen(name, EISDIR);
  if (standard_input && isatty(fd.get())) {
    return util::Error{"standard input is a terminal, not a trace", "name a file, or pipe one in"};
  }
  if (!S_ISREG(info.st_mode) || lseek(fd.get(), 0, SEEK_CUR) > 0) {
    return OpenStream(std::move(fd));
  }
  std::error_code error;
  auto mapped = fxt::MappedFileSource::Map(fd.get(), error);
  // Some file systems do not map (FUSE, /proc).
  if (mapped == nullptr || (mapped->Contents()->empty() && info.st_size == 0)) {
    return OpenStream(std::move(fd));
  }
  if (!GzipSource::Matches(mapped->Contents()->first(std::min<size_t>(2, info.st_size)))) {
    return std::unique_ptr<fxt::ByteSource>(std::move(mapped));
  }
  return OpenStream(std::move(fd));
}

}  // namespace source
