// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/command_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "tools/record/record_outputs.h"

namespace tools {

std::optional<int> CommandRun::Prepare(const RecordOptions& options) {
  if (options.command.empty()) return std::nullopt;
  std::optional<CommandUser> user;
  if (options.as_caller || !options.user.empty()) {
    auto found = options.as_caller ? CommandUser::FindCaller() : CommandUser::Find(options.user);
    if (!found) {
      console_.Error(found.error());
      return kExitFailure;
    }
    user = std::move(*found);
  }
  int exit_code = 0;
  auto child =
      ChildProcess::Prepare(options.command, user ? &*user : nullptr,
                            RecordOutputs::TraceGoesToStdout(options), options.jvm, &exit_code);
  if (!child) {
    console_.Error(child.error());
    return exit_code;
  }
  child_.emplace(std::move(*child));
  return std::nullopt;
}

void CommandRun::Cancel() {
  if (!child_) return;
  child_->Terminate();
  child_->Wait();
  child_.reset();
}

int CommandRun::ExitAfterFailure() {
  const int exit_code = child_ && child_->released() ? child_->Wait() : kExitFailure;
  child_.reset();
  return exit_code == 0 ? kExitFailure : exit_code;
}

// The trace is complete by now.
int CommandRun::WaitForEnd() {
  bool terminated = false;
  for (;;) {
    signals_.Look();
    if (const auto status = child_->Poll()) return *status;
    if (signals_.count() > 0 && !terminated) {
      terminated = true;
      // As perf does: the end of the recording ends the command. A signal of the terminal has
      // reached the command already.
      const bool has_it = signals_.from_terminal() && getpgid(child_->pid()) == getpgrp();
      if (!has_it) child_->Terminate();
    }
    if (signals_.count() > 1) {
      console_.Note(
          fmt::format("the command still runs as process {}; not waiting for it", child_->pid()));
      return 128 + signals_.last();
    }
    pollfd ready{.fd = signals_.fd(), .events = POLLIN, .revents = 0};
    poll(&ready, 1, -1);
  }
}

}  // namespace tools
