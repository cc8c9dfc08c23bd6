// SPDX-License-Identifier: BSD-2-Clause
// Forks the command that is recorded, and starts it when the recording runs.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tools/common/command_user.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class ChildProcess {
 public:
  // Forks a child that waits for Release() before it executes the command. The child inherits the
  // present state of the recorder: call it before the recorder changes signals, priority or limits.
  // `user`: the user of the command; null: the recorder's. If the command cannot be executed,
  // `*exit_code` is that of the shell (126 or 127).
  // `stdout_is_taken`: standard output carries the trace, so the command writes to standard error.
  // `java_names`: see WriteJavaNamesAtExit().
  static util::Result<ChildProcess> Prepare(const std::vector<std::string>& command,
                                            const CommandUser* user, bool stdout_is_taken,
                                            bool java_names, int* exit_code);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills a child that was never released

  // Lets the child execute the command. A child that a signal has ended before is not an error.
  util::Status Release();
  void Terminate() const;
  // The exit status in the shell's terms (128 + n for signal n), once the child has ended.
  std::optional<int> Poll();
  int Wait();
  bool released() const { return released_; }
  pid_t pid() const { return pid_; }
  // The file that the child will execute, as this process finds it; empty: it does not.
  const std::string& program() const { return program_; }

 private:
  ChildProcess(pid_t pid, util::UniqueFd gate, util::UniqueFd reports)
      : pid_(pid), gate_(std::move(gate)), reports_(std::move(reports)) {}

  pid_t pid_ = -1;
  std::string program_;
  util::UniqueFd gate_;     // a byte starts the child
  util::UniqueFd reports_;  // the child reports its error here
  bool released_ = false;
  std::optional<int> status_;
};

}  // namespace tools
