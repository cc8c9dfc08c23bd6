// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/end_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "util/clock.h"

namespace tools {
namespace {

// Signals within this time are one request: timeout(1) signals its child, and then the whole group.
constexpr uint64_t kOneRequestNs = 100'000'000;

bool IsIgnored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void EndSignals::Take() {
  // write(2) reports both as errors.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  // Progress in the background would stop the recorder (stty tostop).
  signal(SIGTTOU, SIG_IGN);
  // An inherited SIG_IGN would lose the exit status of the command.
  signal(SIGCHLD, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    if (number != SIGHUP || !IsIgnored(number)) sigaddset(&set, number);
  }
  sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void EndSignals::TakeSnapshotSignal() {
  sigset_t set;
  sigprocmask(SIG_BLOCK, nullptr, &set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  sigset_t taken;
  sigemptyset(&taken);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1}) {
    if (number != SIGHUP || !IsIgnored(number)) sigaddset(&taken, number);
  }
  signalfd(fd_.get(), &taken, 0);
}

void EndSignals::Look() {
  const std::lock_guard lock(mutex_);
  signalfd_siginfo info{};
  while (read(fd_.get(), &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (info.ssi_signo == SIGUSR1) {
      ++snapshot_requests_;
      continue;
    }
    const uint64_t now = util::MonotonicNow();
    if (count_ > 0 && now - last_time_ < kOneRequestNs) continue;
    last_time_ = now;
    last_ = static_cast<int>(info.ssi_signo);
    if (count_ == 0) {
      first_ = last_.load();
      from_terminal_ = info.ssi_code == SI_KERNEL;
    }
    ++count_;
  }
}

}  // namespace tools
