// SPDX-License-Identifier: BSD-2-Clause
// Runs the command of a recording, if there is one, from the fork to its exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/record/command/child_process.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"

namespace tools {

class CommandRun {
 public:
  // `console` and `signals` outlive it.
  CommandRun(Console& console, EndSignals& signals) : console_(console), signals_(signals) {}

  // Forks the command of `options`. It must inherit the recorder's initial state, so call this
  // first. Returns an exit code if the command cannot be run; the error has been printed.
  std::optional<int> Prepare(const RecordOptions& options);
  bool exists() const { return child_.has_value(); }
  pid_t pid() const { return child_->pid(); }
  const std::string& program() const { return child_->program(); }

  // Starts the command.
  util::Status Release() { return child_->Release(); }
  // The exit status, once the command has ended.
  std::optional<int> Poll() { return child_->Poll(); }
  // Ends the command because the recording could not begin.
  void Cancel();
  // The exit code of a recording that could not begin: that of the command if it was started.
  int ExitAfterFailure();
  // Waits for the end of the command. A signal that ended the recording ends the command as well.
  int WaitForEnd();

 private:
  Console& console_;
  EndSignals& signals_;
  std::optional<ChildProcess> child_;
};

}  // namespace tools
