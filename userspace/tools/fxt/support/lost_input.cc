// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/lost_input.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "tools/fxt/support/failure.h"

namespace tools {
namespace {

constexpr std::string_view kMessage =
    "fxt: error: the input became shorter while it was read, or its disk failed\n"
    "fxt: hint: what was written so far is incomplete; read the file when nobody changes it\n";

// Nothing but what signal-safety(7) allows.
void HandleBusError(int signal, siginfo_t* info, void*) {
  if (info->si_code == BUS_ADRERR) {
    [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(kExitUnreadable);
  }
  // SA_RESETHAND: on return it has its ordinary effect.
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
