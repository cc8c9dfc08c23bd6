// SPDX-License-Identifier: BSD-2-Clause
// The command that a recording is made of, if there is one, from its preparation to its exit code.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/record/command/child_process.h"
#include "tools/record/options/record_options.h"
#include "tools/record/process/console.h"
#include "tools/record/process/end_signals.h"

namespace tools {

class CommandRun {
 public:
  // Both outlive it.
  CommandRun(Console& console, EndSignals& signals) : console_(console), signals_(signals) {}

  // Makes it ready, where `options` have one; it is to inherit what the recorder inherited, so this
  // comes before all else. The exit code, if it cannot be run; why was said.
  std::optional<int> Prepare(const RecordOptions& options);
  bool exists() const { return child_.has_value(); }
  pid_t pid() const { return child_->pid(); }

  // Lets it begin.
  util::Status Release() { return child_->Release(); }
  // Its exit status, once it has ended.
  std::optional<int> Poll() { return child_->Poll(); }
  // Ends it because the recording could not begin.
  void Cancel();
  // The exit code where the recording could not begin: its own, if it was let go all the same.
  int ExitAfterFailure();
  // Waits for its end; who ended the recording by a signal ends it too.
  int WaitForEnd();

 private:
  Console& console_;
  EndSignals& signals_;
  std::optional<ChildProcess> child_;
};

}  // namespace tools
