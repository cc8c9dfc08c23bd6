// SPDX-License-Identifier: BSD-2-Clause
// More processes, threads or signals for the same work.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

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
  // ppoll() alone unblocks the signal.
  while (Clock::now() < end) {
    ppoll(nullptr, 0, &limit, &none);
    Work(microseconds(10));
  }
}

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

int ThreadPerRequest(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("gateway", [&] {
    Threads threads;
    threads.Start("acceptor", [&] {
      Pace pace(milliseconds(3));
      for (int request = 0; Clock::now() < end; ++request) {
        pace.Wait();
        if (options.slow || request % 20 == 0) {
          Threads one;
          one.Start("request", [] { Work(microseconds(200)); });
        } else {
          Work(microseconds(200));
        }
      }
    });
  });
  return 0;
}

int SynchronousHelper(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  processes.Start("gallery", [&] {
    int request = 0;
    for (int number = 1; requests.Receive(&request); ++number) {
      Work(microseconds(60));
      if (number % 8 == 0) {
        const pid_t helper = fork();
        if (helper == 0) {
          NameThread("thumbnail");
          Work(milliseconds(6));
          _exit(0);
        }
        if (helper > 0) waitpid(helper, nullptr, options.slow ? 0 : WNOHANG);
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
      }
      answers.Send(request);
    }
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  });
  processes.Start("visitor", [&] { RequestUntil(end, milliseconds(4), requests, answers); });
  return 0;
}

int HeavierHelper(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("mailer", [&] {
    while (Clock::now() < end) {
      Nap(milliseconds(15));
      const pid_t helper = fork();
      if (helper == 0) {
        NameThread("filter");
        Work(microseconds(options.slow ? 4000 : 500));
        _exit(0);
      }
      if (helper < 0 || waitpid(helper, nullptr, 0) < 0) return;
      Work(microseconds(100));
    }
  });
  return 0;
}

}  // namespace

std::vector<Scenario> ProcessScenarios() {
  return {
      {"signal_storm", "a signal every 100 us instead of every 20 ms", SignalStorm},
      {"more_forks", "a process for each item instead of for each twentieth", MoreForks},
      {"thread_per_request", "a thread for each request instead of for each twentieth",
       ThreadPerRequest},
      {"synchronous_helper", "an event loop waits for the processes that it starts",
       SynchronousHelper},
      {"heavier_helper", "a process for each mail computes for 4 ms instead of 0.5 ms",
       HeavierHelper},
  };
}

}  // namespace planted
