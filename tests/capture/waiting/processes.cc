// SPDX-License-Identifier: BSD-2-Clause
// Children, signals and tracers.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "truth.h"

namespace truth {
namespace {

void Children() {
  for (const bool is_waitid : {false, true}) {
    for (const bool is_any : {false, true}) {
      std::thread([&] {
        Waits waits;
        const int parent = Tid();
        std::vector<pid_t> children;
        for (int i = 0; i < count; ++i) {
          const pid_t child = Check(fork(), "fork");
          if (child == 0) {
            AwaitSleep(parent);
            _exit(0);
          }
          children.push_back(child);
          waits.Add([&] {
            siginfo_t info;
            if (is_waitid) {
              Check(waitid(is_any ? P_ALL : P_PID, static_cast<id_t>(child), &info, WEXITED),
                    "waitid");
            } else {
              Check(waitpid(is_any ? -1 : child, nullptr, 0), "waitpid");
            }
          });
        }
        const char* const call = is_waitid ? "waitid" : "wait4";
        waits.Print(std::string(call) + (is_any ? " any child" : " a child"), [&](size_t i) {
          return Expected{call, "child", "", std::to_string(children[i]), ""};
        });
      }).join();
    }
  }
}

// The child sleeps in pause(), and is stopped by the parent. Its waits are timed by the parent.
void Stops() {
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    for (;;) pause();
  }
  std::vector<uint64_t> begins;
  for (int i = 0; i < count; ++i) {
    AwaitSleep(child);
    Check(kill(child, SIGSTOP), "kill");
    int status = 0;
    Check(waitpid(child, &status, WUNTRACED), "waitpid");
    // The sleep in pause() is over.
    begins.push_back(Now());
    Pause();
    Check(kill(child, SIGCONT), "kill");
    begins.push_back(Now());
    Check(waitpid(child, &status, WCONTINUED), "waitpid");
  }
  kill(child, SIGKILL);
  Check(waitpid(child, nullptr, 0), "waitpid");
  for (size_t i = 0; i < begins.size(); i += 2) {
    std::printf("stop\t%d\t%llu\t%llu\t?\tstop\t\t%d\t\t?\n", child,
                static_cast<unsigned long long>(begins[i]),
                static_cast<unsigned long long>(begins[i + 1]), Tid());
  }
}

// A debugger lets a traced process go on after each signal.
void Tracers() {
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) Fail("ptrace");
    for (;;) raise(SIGUSR1);
  }
  std::vector<uint64_t> times;
  for (int i = 0; i < count; ++i) {
    int status = 0;
    times.push_back(Now());
    Check(waitpid(child, &status, 0), "waitpid");
    Pause();
    if (ptrace(PTRACE_CONT, child, nullptr, nullptr) != 0) Fail("ptrace");
    times.push_back(Now());
  }
  kill(child, SIGKILL);
  Check(waitpid(child, nullptr, 0), "waitpid");
  for (size_t i = 0; i < times.size(); i += 2) {
    std::printf("tracer\t%d\t%llu\t%llu\t?\ttracer\t\t%d\t\t?\n", child,
                static_cast<unsigned long long>(times[i]),
                static_cast<unsigned long long>(times[i + 1]), Tid());
  }
}

void Signals() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  Check(sigaction(SIGUSR2, &action, nullptr), "sigaction");
  std::atomic<pthread_t> waiter{};
  std::atomic<int> is_over{0};
  const Pair pair = Run(
      [&](int i) {
        waiter = pthread_self();
        pause();
        is_over = i + 1;
      },
      [&](int i) {
        // One that comes before pause() ends nothing.
        while (is_over <= i) {
          pthread_kill(waiter, SIGUSR2);
          Pause();
        }
      });
  pair.waits.Print("pause", {"pause", "signal", "", "?", ""});
}

void Pidfds() {
#ifdef SYS_pidfd_open
  std::thread([&] {
    Waits waits;
    const int parent = Tid();
    for (int i = 0; i < count; ++i) {
      const pid_t child = Check(fork(), "fork");
      if (child == 0) {
        AwaitSleep(parent);
        _exit(0);
      }
      const int fd = Check(syscall(SYS_pidfd_open, child, 0), "pidfd_open");
      waits.Add([&] {
        pollfd one{fd, POLLIN, 0};
        Check(poll(&one, 1, -1), "poll");
      });
      close(fd);
      Check(waitpid(child, nullptr, 0), "waitpid");
    }
    waits.Print("pidfd", {"poll", "pidfd", "", "?", ""});
  }).join();
#endif
}

}  // namespace

void Processes() {
  std::fflush(stdout);
  Children();
  Stops();
  std::fflush(stdout);
  Tracers();
  std::fflush(stdout);
  Signals();
  Pidfds();
}

}  // namespace truth
