// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include <fmt/format.h>

namespace truth {
namespace {

// Output goes to memory files, which need no reader.
std::string ReadAll(int fd) {
  std::string content;
  char buffer[1 << 14];
  off_t at = 0;
  for (ssize_t got; (got = pread(fd, buffer, sizeof(buffer), at)) > 0; at += got) {
    content.append(buffer, static_cast<size_t>(got));
  }
  return content;
}

}  // namespace

std::string CommandResult::Describe() const {
  std::string text = timed_out     ? std::string("timed out")
                     : signal != 0 ? fmt::format("ended by signal {}", signal)
                                   : fmt::format("exit code {}", exit_code);
  text += fmt::format(" after {:.2f} s; stdout: {}; stderr: {}", seconds, out.substr(0, 2000),
                      err.substr(0, 4000));
  return text;
}

util::Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& argv,
                                               const CommandOptions& options) {
  ChildProcess child;
  child.out_.reset(memfd_create("stdout", MFD_CLOEXEC));
  child.err_.reset(memfd_create("stderr", MFD_CLOEXEC));
  util::UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!child.out_ || !child.err_ || !null) {
    return util::Error{fmt::format("no file for the output: {}", strerror(errno)), ""};
  }
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  child.started_ = std::chrono::steady_clock::now();
  const pid_t parent = getpid();
  child.pid_ = fork();
  if (child.pid_ < 0) return util::Error{fmt::format("fork: {}", strerror(errno)), ""};
  if (child.pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    // A background job of a shell ignores these signals.
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    dup2(null.get(), STDIN_FILENO);
    dup2(options.stdout_fd >= 0 ? options.stdout_fd : child.out_.get(), STDOUT_FILENO);
    dup2(child.err_.get(), STDERR_FILENO);
    if (options.before_exec && !options.before_exec()) _exit(126);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  // Whichever of the two comes first. The child's own settings before exec take precedence.
  if (!options.before_exec) setpgid(child.pid_, child.pid_);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      reaped_(other.reaped_),
      status_(other.status_),
      usage_(other.usage_),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      started_(other.started_) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  if (reaped_) return;
  // The process group contains the children of the program.
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  Reap(true);
}

void ChildProcess::Signal(int signal) const {
  if (!reaped_) kill(pid_, signal);
}

bool ChildProcess::Reap(bool block) {
  if (reaped_) return true;
  pid_t got;
  do {
    got = wait4(pid_, &status_, block ? 0 : WNOHANG, &usage_);
  } while (got < 0 && errno == EINTR);
  reaped_ = got != 0;
  return reaped_;
}

bool ChildProcess::Running() { return !Reap(false); }

std::string ChildProcess::ErrorsSoFar() const { return ReadAll(err_.get()); }

CommandResult ChildProcess::Wait(std::chrono::milliseconds limit) {
  CommandResult result;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  // The wait causes no context switches, which the tests count.
  util::UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  while (!Reap(false)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      kill(-pid_, SIGKILL);
      kill(pid_, SIGKILL);
      Reap(true);
      break;
    }
    pollfd waited{pidfd.get(), POLLIN, 0};
    poll(&waited, 1, static_cast<int>(left.count()));
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  if (WIFEXITED(status_)) result.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) result.signal = WTERMSIG(status_);
  result.usage = usage_;
  result.out = ReadAll(out_.get());
  result.err = ReadAll(err_.get());
  return result;
}

bool Eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

CommandResult RunCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                         const CommandOptions& options) {
  auto child = ChildProcess::Start(argv, options);
  if (!child.ok()) {
    CommandResult result;
    result.exit_code = 127;
    result.err = child.error().message;
    return result;
  }
  return child->Wait(limit);
}

}  // namespace truth
