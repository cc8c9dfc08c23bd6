// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/lost_input.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "tools/fxt/support/failure.h"

namespace tools {
namespace {

constexpr std::string_view kMessage =
    "fxt: error: the input was truncated while it was read, or its disk failed\n"
    "fxt: hint: the output is incomplete; repeat when no process changes the input\n";

// Uses only functions of signal-safety(7).
void HandleBusError(int signal, siginfo_t* info, void*) {
  if (info->si_code == BUS_ADRERR) {
    [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(kExitUnreadable);
  }
  // SA_RESETHAND: the second signal has its default effect.
  raise(signal);
}

}  // namespace

void FailOnLostInput() {
  struct sigaction action = {};
  action.sa_sigaction = HandleBusError;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace tools
