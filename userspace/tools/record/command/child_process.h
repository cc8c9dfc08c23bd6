// SPDX-License-Identifier: BSD-2-Clause
// The command that is recorded: made ready first, let go when the recording runs.
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
  // Forks; the child waits for Release before it becomes the command. It inherits what the recorder
  // has at this moment, so this comes before whatever the recorder changes for itself. `user`: as
  // whom; null: as whoever runs the recorder. Where the command cannot be run, the error says why,
  // and `*exit_code` is what the shell would exit with (126 or 127).
  // `stdout_is_taken`: standard output carries the trace; what the command says goes to standard
  // error.
  static util::Result<ChildProcess> Prepare(const std::vector<std::string>& command,
                                            const CommandUser* user, bool stdout_is_taken,
                                            int* exit_code);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills a child that was never released

  // Lets the child become the command. One that a signal has ended before is no error.
  util::Status Release();
  void Terminate() const;
  // The exit status as a shell would have it (128 + n for signal n) once the child has ended.
  std::optional<int> Poll();
  int Wait();
  bool released() const { return released_; }
  pid_t pid() const { return pid_; }

 private:
  ChildProcess(pid_t pid, util::UniqueFd gate, util::UniqueFd reports)
      : pid_(pid), gate_(std::move(gate)), reports_(std::move(reports)) {}

  pid_t pid_ = -1;
  util::UniqueFd gate_;     // a byte lets the child go
  util::UniqueFd reports_;  // what it could not do comes out of here
  bool released_ = false;
  std::optional<int> status_;
};

}  // namespace tools
