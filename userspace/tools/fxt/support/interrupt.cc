// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/interrupt.h"

#include <poll.h>

#include <cerrno>
#include <csignal>

namespace tools {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void HandleInterrupt(int) { interrupted = 1; }

}  // namespace

void NoteInterrupts() {
  struct sigaction action = {};
  action.sa_handler = HandleInterrupt;
  // No SA_RESTART: a blocking read must return.
  sigaction(SIGINT, &action, nullptr);
}

bool WasInterrupted() { return interrupted != 0; }

bool AwaitInput(int fd) {
  // Blocked, the signal cannot arrive between the check and the wait.
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  pollfd input = {fd, POLLIN, 0};
  while (!WasInterrupted() && ppoll(&input, 1, nullptr, &before) < 0 && errno == EINTR) continue;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !WasInterrupted();
}

void ForgetInterrupt() { interrupted = 0; }

}  // namespace tools
