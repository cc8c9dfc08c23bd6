// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/tracefs/trace_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

namespace truth {
namespace {

util::Error ErrnoError(std::string what) {
  return util::Error{fmt::format("{}: {}", what, strerror(errno)), ""};
}

// fsopen(2) and fsmount(2), Linux 5.2; <sys/mount.h> has them only with newer C libraries.
constexpr unsigned kFsConfigCreate = 6;  // FSCONFIG_CMD_CREATE

util::Result<util::UniqueFd> MountDetached(const char* type) {
  util::UniqueFd context(static_cast<int>(syscall(SYS_fsopen, type, 0)));
  if (!context) return ErrnoError(fmt::format("cannot open file system {}", type));
  if (syscall(SYS_fsconfig, context.get(), kFsConfigCreate, nullptr, nullptr, 0) != 0) {
    return ErrnoError(fmt::format("cannot configure file system {}", type));
  }
  util::UniqueFd mount(static_cast<int>(syscall(SYS_fsmount, context.get(), 0, 0)));
  if (!mount) return ErrnoError(fmt::format("cannot mount file system {}", type));
  return mount;
}

}  // namespace

util::Result<std::string> ReadFileAt(int directory, const std::string& path) {
  util::UniqueFd file(openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return ErrnoError(fmt::format("cannot open {}", path));
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(fmt::format("cannot read {}", path));
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
  }
}

util::Status WriteFileAt(int directory, const std::string& path, std::string_view text) {
  util::UniqueFd file(openat(directory, path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file) return ErrnoError(fmt::format("cannot open {}", path));
  const ssize_t put = write(file.get(), text.data(), text.size());
  if (put != static_cast<ssize_t>(text.size())) {
    return ErrnoError(fmt::format("cannot write {} to {}", text, path));
  }
  return util::Ok();
}

util::Result<util::UniqueFd> OpenTraceFs() {
  for (const char* path : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    util::UniqueFd mounted(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (mounted && faccessat(mounted.get(), "instances", F_OK, 0) == 0) return mounted;
  }
  return MountDetached("tracefs");
}

}  // namespace truth
