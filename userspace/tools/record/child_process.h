// SPDX-License-Identifier: BSD-2-Clause
// The command that is recorded: made ready first, let go when the recording runs.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class ChildProcess {
 public:
  // Where the shell would find the command; an error says why it cannot be run, and `*exit_code` is
  // what the shell would exit with (126 or 127).
  static util::Result<std::string> FindProgram(const std::string& name, int* exit_code);

  // Forks; the child waits for Release before it becomes the command. As the user behind the
  // recorder, with its signals as they were before `blocked` ones were blocked.
  // `stdout_is_taken`: standard output carries the trace; what the command says goes to standard
  // error.
  static util::Result<ChildProcess> Prepare(const std::vector<std::string>& command,
                                            const std::string& program, bool stdout_is_taken);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills a child that was never released

  // Lets the child become the command.
  util::Status Release();
  void Terminate() const;
  // The exit status as a shell would have it (128 + n for signal n) once the child has ended.
  std::optional<int> Poll();
  int Wait();
  bool released() const { return released_; }
  pid_t pid() const { return pid_; }

 private:
  ChildProcess(pid_t pid, util::UniqueFd gate, util::UniqueFd failure)
      : pid_(pid), gate_(std::move(gate)), failure_(std::move(failure)) {}

  pid_t pid_ = -1;
  util::UniqueFd gate_;     // a byte lets the child go
  util::UniqueFd failure_;  // errno of a failed exec comes out of here
  bool released_ = false;
  std::optional<int> status_;
};

}  // namespace tools
