// SPDX-License-Identifier: BSD-2-Clause
// A program under test: started, bounded in time, and gone when the test is.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace truth {

struct CommandResult {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  bool timed_out = false;  // and was killed
  std::string out, err;    // what it printed
  rusage usage{};          // of it and the children it waited for
  double seconds = 0;

  // One line for a failure message.
  std::string Describe() const;
};

struct CommandOptions {
  // Where standard output goes instead of CommandResult::out; stays the caller's.
  int stdout_fd = -1;
  // Runs in the child just before exec; a false return is exit code 126. Async-signal-safe calls
  // only.
  std::function<bool()> before_exec;
};

class ChildProcess {
 public:
  // `argv[0]` is looked up in PATH. What cannot be executed exits with 127.
  static util::Result<ChildProcess> Start(const std::vector<std::string>& argv,
                                          const CommandOptions& options = {});
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills what still runs

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  bool Running();
  // Until its end or `limit`, at which it is killed.
  CommandResult Wait(std::chrono::milliseconds limit);
  // What it has printed on stderr so far.
  std::string ErrorsSoFar() const;

 private:
  ChildProcess() = default;
  bool Reap(bool block);

  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  rusage usage_{};
  util::UniqueFd out_, err_;
  std::chrono::steady_clock::time_point started_;
};

// Start and Wait in one. A command that cannot be started at all has exit code 127.
CommandResult RunCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                         const CommandOptions& options = {});

}  // namespace truth
