// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/interrupt.h"

#include <csignal>

namespace tools {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void HandleInterrupt(int) { interrupted = 1; }

}  // namespace

void NoteInterrupts() {
  struct sigaction action = {};
  action.sa_handler = HandleInterrupt;
  // No SA_RESTART: whoever waits for a line has to hear of it.
  sigaction(SIGINT, &action, nullptr);
}

bool WasInterrupted() { return interrupted != 0; }

void ForgetInterrupt() { interrupted = 0; }

}  // namespace tools
