// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/command/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "tools/record/command/java_names.h"
#include "tools/record/options/record_options.h"
#include "util/scheduling_attributes.h"

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

// The path at which the shell would find the command. Empty: not found, and `*reason` is errno.
std::string FindProgram(const std::string& name, int* reason) {
  *reason = ENOENT;
  if (name.find('/') != std::string::npos) {
    *reason = WhyNotRunnable(name);
    return *reason == 0 ? name : "";
  }
  if (name.empty()) return "";
  const char* variable = getenv("PATH");
  std::string_view path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    size_t colon = path.find(':');
    std::string directory(path.substr(0, colon));
    std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    int why = WhyNotRunnable(candidate);
    if (why == 0) return candidate;
    if (why != ENOENT && why != ENOTDIR) *reason = why;
    if (colon == std::string_view::npos) return "";
    path.remove_prefix(colon + 1);
  }
}

// Restores attributes that exec keeps and fork does not: scheduling with reset-on-fork, and the
// signal at the death of the parent.
class NotForked {
 public:
  NotForked() {
    known_ = syscall(SYS_sched_getattr, 0, &attributes_, sizeof(attributes_), 0) == 0;
    prctl(PR_GET_PDEATHSIG, &death_signal_);
  }
  void RestoreInChild() {
    if (death_signal_ != 0) prctl(PR_SET_PDEATHSIG, death_signal_);
    if (!known_ || (attributes_.flags & kResetOnFork) == 0) return;
    syscall(SYS_sched_setattr, 0, &attributes_, 0);
  }

 private:
  static constexpr uint64_t kResetOnFork = 1;  // linux/sched.h: SCHED_FLAG_RESET_ON_FORK
  util::SchedulingAttributes attributes_ = {};
  bool known_ = false;
  int death_signal_ = 0;
};

struct Pipe {
  util::UniqueFd read_end;
  util::UniqueFd write_end;
};

// Not one of the standard descriptors, even where these are missing: the command misses them, too.
util::Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  Pipe pipe;
  if (pipe2(ends.data(), O_CLOEXEC) == 0) {
    const util::UniqueFd read_end(ends[0]);
    const util::UniqueFd write_end(ends[1]);
    pipe.read_end.reset(fcntl(read_end.get(), F_DUPFD_CLOEXEC, 3));
    pipe.write_end.reset(fcntl(write_end.get(), F_DUPFD_CLOEXEC, 3));
  }
  if (pipe.read_end && pipe.write_end) return pipe;
  return util::Error{fmt::format("cannot make a pipe: {}", strerror(errno)),
                     errno == EMFILE ? "raise the limit of open files with `ulimit -n 256`" : ""};
}

ssize_t ReadWhole(int fd, void* buffer, size_t size) {
  ssize_t got = 0;
  do {
    got = read(fd, buffer, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

// The report of a child before it waits, and again if it cannot execute the program.
struct Report {
  enum class Stage { kReady, kUser, kProgram };
  Stage stage = Stage::kReady;
  int error = 0;
};

[[noreturn]] void BeChild(const std::vector<std::string>& command, const CommandUser* user,
                          NotForked not_forked, bool stdout_is_taken, bool java_names, int gate,
                          int reports) {
  auto fail = [&](Report::Stage stage, int error) {
    const Report report{.stage = stage, .error = error};
    if (write(reports, &report, sizeof(report)) < 0) _exit(kExitNotExecutable);
    _exit(error == ENOENT || error == ENOTDIR ? kExitNotFound : kExitNotExecutable);
  };
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (stdout_is_taken) dup2(STDERR_FILENO, STDOUT_FILENO);
  not_forked.RestoreInChild();
  if (user != nullptr) {
    if (const int error = user->Become(); error != 0) fail(Report::Stage::kUser, error);
  }
  if (java_names) WriteJavaNamesAtExit();
  int reason = 0;
  const std::string program = FindProgram(command.front(), &reason);
  if (program.empty()) fail(Report::Stage::kProgram, reason);
  const Report ready;
  if (write(reports, &ready, sizeof(ready)) != sizeof(ready)) _exit(kExitFailure);
  char byte = 0;
  // No byte: the recorder is gone, and there is nothing to run for.
  if (ReadWhole(gate, &byte, 1) != 1) _exit(kExitFailure);
  execv(program.c_str(), arguments.data());
  fail(Report::Stage::kProgram, errno);
  _exit(kExitFailure);
}

}  // namespace

util::Result<ChildProcess> ChildProcess::Prepare(const std::vector<std::string>& command,
                                                 const CommandUser* user, bool stdout_is_taken,
                                                 bool java_names, int* exit_code) {
  *exit_code = kExitFailure;
  auto gate = MakePipe();
  if (!gate) return gate.TakeError();
  auto reports = MakePipe();
  if (!reports) return reports.TakeError();
  const NotForked not_forked;
  const pid_t pid = fork();
  if (pid < 0) return util::Error{fmt::format("cannot fork: {}", strerror(errno)), ""};
  if (pid == 0) {
    gate->write_end.reset();
    BeChild(command, user, not_forked, stdout_is_taken, java_names, gate->read_end.get(),
            reports->write_end.get());
  }
  reports->write_end.reset();
  ChildProcess child(pid, std::move(gate->write_end), std::move(reports->read_end));
  Report report;
  const bool reported = ReadWhole(child.reports_.get(), &report, sizeof(report)) == sizeof(report);
  if (reported && report.stage == Report::Stage::kReady) {
    int reason = 0;
    child.program_ = FindProgram(command.front(), &reason);
    return child;
  }
  if (!reported) return util::Error{"the process of the command ended before it could start", ""};
  if (report.stage == Report::Stage::kUser) {
    return util::Error{
        fmt::format("cannot run the command as {}: {}", user->name, strerror(report.error)),
        report.error == EPERM ? "only root can" : ""};
  }
  *exit_code =
      report.error == ENOENT || report.error == ENOTDIR ? kExitNotFound : kExitNotExecutable;
  return util::Error{fmt::format("cannot run '{}': {}", command.front(), strerror(report.error)),
                     ""};
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      program_(std::move(other.program_)),
      gate_(std::move(other.gate_)),
      reports_(std::move(other.reports_)),
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
  if (write(gate_.get(), &byte, 1) != 1 && errno != EPIPE) {
    return util::Error{fmt::format("cannot start the command: {}", strerror(errno)), ""};
  }
  Report report;
  // Closed without a word: exec went well.
  if (ReadWhole(reports_.get(), &report, sizeof(report)) != sizeof(report)) return util::Ok();
  return util::Error{fmt::format("cannot run the command: {}", strerror(report.error)),
                     report.error == ENOEXEC ? "a script needs a first line like #!/bin/sh" : ""};
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
