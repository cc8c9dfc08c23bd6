// SPDX-License-Identifier: BSD-2-Clause
#include "births.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace {

constexpr int kAtOnce = 8;

void PinTo(long cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

long MillisecondsSince(const timespec& begin) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000;
}

// A separate function: the child of vfork shares the stack of its parent.
__attribute__((noinline)) pid_t VforkOne() {
  const pid_t pid = vfork();
  if (pid == 0) _exit(0);
  return pid;
}

// Makes one task of each kind. Returns their number.
uint64_t Turn() {
  uint64_t count = 0;
  for (int i = 0; i < kAtOnce; ++i, ++count) {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    if (pid < 0) return 0;
  }
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  for (int i = 0; i < kAtOnce; ++i, ++count) {
    const pid_t pid = VforkOne();
    if (pid < 0) return 0;
    waitpid(pid, nullptr, 0);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kAtOnce; ++i, ++count) threads.emplace_back([] {});
  for (std::thread& thread : threads) thread.join();
  return count;
}

}  // namespace

int Births(int milliseconds) {
  void* shared = mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto* total = new (shared) std::atomic<uint64_t>(0);
  // A real-time priority keeps other load from the CPU while this process waits for a child.
  setpriority(PRIO_PROCESS, 0, -20);
  timespec begin{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  std::vector<pid_t> pids;
  for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    const pid_t pid = fork();
    if (pid != 0) {
      pids.push_back(pid);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    PinTo(cpu);
    while (MillisecondsSince(begin) < milliseconds) {
      const uint64_t count = Turn();
      if (count == 0) _exit(1);
      *total += count;
    }
    _exit(0);
  }
  int status = 0;
  for (const pid_t pid : pids) {
    int one = 0;
    waitpid(pid, &one, 0);
    status |= one;
  }
  printf("births milliseconds=%d count=%lu\n", milliseconds, total->load());
  return status == 0 ? 0 : 1;
}
