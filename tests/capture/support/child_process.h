// SPDX-License-Identifier: BSD-2-Clause
// Runs a program with a time limit. It ends with the test.
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

// The time limit of programs under test. It bounds a hang on a busy machine and measures nothing.
inline constexpr std::chrono::milliseconds kLimit{300'000};

struct CommandResult {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  bool timed_out = false;  // and was killed
  std::string out, err;    // what it printed
  rusage usage{};          // of the program and its reaped children
  double seconds = 0;

  // Describes the result in one line.
  std::string Describe() const;
};

struct CommandOptions {
  // Replaces standard output. The caller owns the descriptor.
  int stdout_fd = -1;
  // Runs in the child before exec, with async-signal-safe calls only. False: exit code 126.
  std::function<bool()> before_exec;
};

class ChildProcess {
 public:
  // Searches PATH for `argv[0]`. A failed exec exits with 127.
  static util::Result<ChildProcess> Start(const std::vector<std::string>& argv,
                                          const CommandOptions& options = {});
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills a running program

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  bool Running();
  // Waits for the end. Kills the program after `limit`.
  CommandResult Wait(std::chrono::milliseconds limit = kLimit);
  // Returns the output on stderr so far.
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

// Waits until `holds` returns true. Returns false after kLimit.
bool Eventually(const std::function<bool()>& holds);

// Starts a command and waits for its end. A command that cannot be started has exit code 127.
CommandResult RunCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                         const CommandOptions& options = {});

}  // namespace truth
