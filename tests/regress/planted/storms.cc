// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of too much of something cheap.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

void OnSignal(int) { Work(microseconds(5)); }

void React(Clock::time_point end) {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGUSR1, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  const timespec limit{0, 100'000'000};
  // Signals come in ppoll only.
  while (Clock::now() < end) {
    ppoll(nullptr, 0, &limit, &none);
    Work(microseconds(10));
  }
}

}  // namespace

int SignalStorm(const Options& options) {
  const auto end = Clock::now() + options.length;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  Processes processes;
  const pid_t reactor = processes.Start("reactor", [end] { React(end); });
  processes.Start("notifier", [&options, end, reactor] {
    Pace pace(options.slow ? microseconds(100) : microseconds(20'000));
    while (Clock::now() < end) {
      pace.Wait();
      kill(reactor, SIGUSR1);
    }
  });
  return 0;
}

int MoreForks(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("builder", [&options, end] {
    Pace pace(milliseconds(4));
    for (int item = 0; Clock::now() < end; ++item) {
      pace.Wait();
      if (options.slow || item % 20 == 0) {
        Processes helper;
        helper.Start("linter", [] { Work(microseconds(200)); });
      } else {
        Work(microseconds(200));
      }
    }
  });
  return 0;
}

}  // namespace planted
