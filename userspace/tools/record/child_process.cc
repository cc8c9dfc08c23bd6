// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "tools/record/record_options.h"

namespace tools {
namespace {

int ShellStatus(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return 128 + WTERMSIG(status);
}

// 0: can be run, else errno.
int WhyNotRunnable(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return errno;
  if (S_ISDIR(file.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

util::Result<std::string> ChildProcess::FindProgram(const std::string& name, int* exit_code) {
  int reason = ENOENT;
  if (name.find('/') != std::string::npos) {
    reason = WhyNotRunnable(name);
    if (reason == 0) return name;
  } else if (!name.empty()) {
    const char* variable = getenv("PATH");
    std::string_view path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
      size_t colon = path.find(':');
      std::string directory(path.substr(0, colon));
      std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
      int why = WhyNotRunnable(candidate);
      if (why == 0) return candidate;
      if (why != ENOENT && why != ENOTDIR) reason = why;
      if (colon == std::string_view::npos) break;
      path.remove_prefix(colon + 1);
    }
  }
  *exit_code = reason == ENOENT || reason == ENOTDIR ? kExitNotFound : kExitNotExecutable;
  return util::Error{fmt::format("cannot run '{}': {}", name, strerror(reason)), ""};
}

util::Result<ChildProcess> ChildProcess::Prepare(const std::vector<std::string>& command,
                                                 const std::string& program, bool stdout_is_taken) {
  std::array<int, 2> gate{};
  std::array<int, 2> failure{};
  if (pipe2(gate.data(), O_CLOEXEC) != 0) {
    return util::Error{fmt::format("cannot make a pipe: {}", strerror(errno)), ""};
  }
  util::UniqueFd gate_read(gate[0]);
  util::UniqueFd gate_write(gate[1]);
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    return util::Error{fmt::format("cannot make a pipe: {}", strerror(errno)), ""};
  }
  util::UniqueFd failure_read(failure[0]);
  util::UniqueFd failure_write(failure[1]);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  pid_t pid = fork();
  if (pid < 0) return util::Error{fmt::format("cannot fork: {}", strerror(errno)), ""};
  if (pid == 0) {
    gate_write.reset();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (stdout_is_taken) dup2(STDERR_FILENO, STDOUT_FILENO);
    char byte = 0;
    // No byte: the recorder is gone, and there is nothing to run for.
    if (read(gate_read.get(), &byte, 1) != 1) _exit(kExitFailure);
    execv(program.c_str(), arguments.data());
    int error = errno;
    if (write(failure_write.get(), &error, sizeof(error)) < 0) _exit(kExitNotExecutable);
    _exit(error == ENOENT ? kExitNotFound : kExitNotExecutable);
  }
  return ChildProcess(pid, std::move(gate_write), std::move(failure_read));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      gate_(std::move(other.gate_)),
      failure_(std::move(other.failure_)),
      released_(other.released_),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || status_ || released_) return;
  gate_.reset();  // the child sees the end of the pipe and leaves
  waitpid(pid_, nullptr, 0);
}

util::Status ChildProcess::Release() {
  released_ = true;
  char byte = 1;
  if (write(gate_.get(), &byte, 1) != 1) {
    return util::Error{fmt::format("cannot start the command: {}", strerror(errno)), ""};
  }
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(failure_.get(), &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  // Closed without a word: exec went well.
  if (got != static_cast<ssize_t>(sizeof(error))) return util::Ok();
  return util::Error{fmt::format("cannot run the command: {}", strerror(error)),
                     error == ENOEXEC ? "a script needs a first line like #!/bin/sh" : ""};
}

void ChildProcess::Terminate() const {
  if (!status_) kill(pid_, SIGTERM);
}

std::optional<int> ChildProcess::Poll() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = ShellStatus(status);
  return status_;
}

int ChildProcess::Wait() {
  int status = 0;
  while (!status_) {
    if (waitpid(pid_, &status, 0) == pid_) status_ = ShellStatus(status);
    if (errno == ECHILD && !status_) status_ = kExitFailure;
  }
  return *status_;
}

}  // namespace tools
