// SPDX-License-Identifier: BSD-2-Clause
#include "output/open_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "output/owner_rules.h"

namespace output {
namespace {

// The descriptor of this process that `place` refers to, if any.
std::optional<int> OwnDescriptor(const OutputPlace& place) {
  const util::UniqueFd own(open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat first = {};
  struct stat second = {};
  if (!own || fstat(own.get(), &first) != 0 || fstat(place.directory.get(), &second) != 0 ||
      first.st_dev != second.st_dev || first.st_ino != second.st_ino) {
    return std::nullopt;
  }
  int fd = -1;
  const char* const end = place.name.data() + place.name.size();
  const auto [stop, error] = std::from_chars(place.name.data(), end, fd);
  if (error != std::errc() || stop != end) return std::nullopt;
  return fd;
}

// Waits for a reader of a FIFO.
util::Result<util::UniqueFd> OpenExisting(const OutputPlace& place, const std::string& path,
                                          const FileOptions& options) {
  const std::string& option = options.option;
  const struct stat& expected = *place.existing;
  // A terminal belongs to the user who is logged in there, and only root creates devices.
  if (!S_ISCHR(expected.st_mode) && !IsTrusted(expected.st_uid)) {
    return WrongOwner(path, expected.st_uid, option);
  }
  const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (place.magic_link ? 0 : O_NOFOLLOW);
  util::UniqueFd fd =
      output::OpenWithin(place.directory.get(), place.name, flags, 0, options.keep_waiting);
  if (!fd && errno == ECANCELED) {
    return util::Error{fmt::format("no process reads {}", path), "it is a FIFO; start its reader"};
  }
  if (!fd) return OpenError(path, errno, option);
  struct stat opened = {};
  if (fstat(fd.get(), &opened) != 0) return OpenError(path, errno, option);
  if (opened.st_dev != expected.st_dev || opened.st_ino != expected.st_ino) {
    return OpenError(path, EBUSY, option);
  }
  return fd;
}

}  // namespace

util::Result<util::UniqueFd> OpenStandardOutput(int fd, const std::string& name) {
  if (isatty(fd) == 1) {
    return util::Error{fmt::format("{} is a terminal, and a trace is not text", name),
                       "redirect it to a file or a pipe, or name a file with -o"};
  }
  util::UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) return OpenError(name, errno, "-o");
  return copy;
}

util::Result<OpenedOutput> OpenOutputAt(const std::string& path, const FileOptions& options) {
  auto place = FindPlace(path, options.option);
  if (!place) return place.TakeError();
  OpenedOutput output;
  if (place->magic_link) {
    if (const auto own = OwnDescriptor(*place)) {
      output.fd.reset(fcntl(*own, F_DUPFD_CLOEXEC, 3));
      if (!output.fd) return OpenError(path, errno, options.option);
      return output;
    }
    // Through a descriptor of another process a file can only be overwritten.
    if (S_ISREG(place->existing->st_mode)) return OpenError(path, EPERM, options.option);
  }
  if (place->existing && !S_ISREG(place->existing->st_mode)) {
    if (S_ISDIR(place->existing->st_mode)) return OpenError(path, EISDIR, options.option);
    auto fd = OpenExisting(*place, path, options);
    if (!fd) return fd.TakeError();
    output.fd = std::move(*fd);
    return output;
  }
  auto file = OutputFile::Create(std::move(*place), path, options);
  if (!file) return file.TakeError();
  output.file = std::move(*file);
  output.fd.reset(fcntl(output.file->fd(), F_DUPFD_CLOEXEC, 3));
  if (!output.fd) return OpenError(path, errno, options.option);
  return output;
}

}  // namespace output
