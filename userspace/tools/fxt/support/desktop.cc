// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/desktop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tools/common/command_user.h"
#include "util/unique_fd.h"

namespace tools {
namespace {

// sudo removes these variables, which xdg-open needs to find a running browser.
void SetSession(const CommandUser& user) {
  const std::string folder = fmt::format("/run/user/{}", user.uid);
  if (access(folder.c_str(), X_OK) != 0) return;
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 0);
  const std::string bus = folder + "/bus";
  if (access(bus.c_str(), F_OK) == 0) {
    setenv("DBUS_SESSION_BUS_ADDRESS", ("unix:path=" + bus).c_str(), 0);
  }
}

// Runs in the child and executes xdg-open; never returns 0.
int Start(const std::optional<CommandUser>& user, const std::string& url) {
  if (user) {
    if (const int error = user->Become(); error != 0) return error;
    SetSession(*user);
  }
  // Detaches the browser from Ctrl-C and from this terminal.
  setsid();
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return errno;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
  return errno;
}

}  // namespace

bool HasDesktop() {
  for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

util::Status OpenInBrowser(const std::string& url) {
  std::optional<CommandUser> user;
  if (geteuid() == 0) {
    auto caller = CommandUser::FindCaller();
    if (!caller || caller->uid == 0) {
      return util::Error{"no browser is started for root", "open the address yourself"};
    }
    user = *caller;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return util::Error{fmt::format("cannot start a browser: {}", std::strerror(errno)), ""};
  }
  util::UniqueFd result(ends[0]);
  util::UniqueFd to_result(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) {
    return util::Error{fmt::format("cannot start a browser: {}", std::strerror(errno)), ""};
  }
  if (pid == 0) {
    // A second fork, so that init reaps the browser.
    const pid_t grandchild = fork();
    if (grandchild > 0) _exit(0);
    const int error = grandchild < 0 ? errno : Start(user, url);
    const ssize_t written = write(to_result.get(), &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
  }
  to_result.reset();
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  int error = 0;
  ssize_t got = 0;
  while ((got = read(result.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got == 0) return util::Ok();
  return util::Error{fmt::format("cannot start xdg-open: {}", std::strerror(error)),
                     error == ENOENT ? "install the package xdg-utils" : ""};
}

}  // namespace tools
