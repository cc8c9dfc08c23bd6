// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "bench/prices/load.h"

namespace load {
namespace {

struct Pipe {
  int ends[2];
  Pipe() {
    if (pipe(ends) != 0) Fail("pipe");
  }
  void Put() const {
    if (write(ends[1], "x", 1) != 1) Fail("a pipe");
  }
  void Take() const {
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) Fail("a pipe");
  }
};

// Exchanges a byte with a child, which runs `pin` first. Returns the number of exchanges within
// `most` ns.
uint64_t PingPong(uint64_t count, void (*pin)(), uint64_t most) {
  const Pipe there;
  const Pipe back;
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) {
    pin();
    close(there.ends[1]);
    char byte = 0;
    while (read(there.ends[0], &byte, 1) == 1) back.Put();
    _exit(0);
  }
  const uint64_t begin = Elapsed();
  uint64_t done = 0;
  while (done < count && (done % 64 != 0 || Elapsed() - begin < most)) {
    there.Put();
    back.Take();
    ++done;
  }
  close(there.ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(1);
  for (const int end : {there.ends[0], back.ends[0], back.ends[1]}) close(end);
  return done;
}

// Two switches a turn.
Cost Switches(const Task& task) {
  const uint64_t begin = CpuTime();
  PingPong(
      task.count, [] {}, UINT64_MAX);  // on the CPU of its parent
  return {CpuTime() - begin, 2 * task.count};
}

// ... and two wakeups.
Cost SwitchesAndWakeups(const Task& task) {
  Cost cost = Switches(task);
  cost.events *= 2;
  return cost;
}

// Between two CPUs: the idle time of each CPU is in no CPU time.
Cost Idles(const Task& task) {
  const uint64_t begin = Elapsed();
  const uint64_t done = PingPong(task.count, PinToFirst, kMostWaiting);
  return {Elapsed() - begin, 0, done};
}

// Memory barriers interrupt the other CPU, where a thread of this process runs.
Cost Barriers(const Task& task) {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
    Fail("membarrier");
  std::atomic<int> state = 0;
  std::thread other([&] {
    PinToFirst();
    state = 1;
    while (state != 2) {
    }
  });
  while (state != 1) {
  }
  const uint64_t begin = ThreadTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  }
  const Cost cost{ThreadTime() - begin, 0};
  state = 2;
  other.join();
  return cost;
}

// FIONREAD takes the mutex of a pipe.
Cost Contends(const Task& task) {
  const Pipe shared;
  const auto ask = [&] {
    for (uint64_t i = 0; i < task.count; ++i) {
      int bytes = 0;
      if (ioctl(shared.ends[0], FIONREAD, &bytes) != 0) Fail("FIONREAD");
    }
  };
  const uint64_t begin = CpuTime();
  std::thread other([&] {
    PinToFirst();
    ask();
  });
  ask();
  other.join();
  for (const int end : shared.ends) close(end);
  return {CpuTime() - begin, 0};
}

// Reads more of a file than its control group has memory for.
Cost Reclaims(const Task& task) {
  const int file = open(task.file, O_RDONLY | O_CLOEXEC);
  if (file < 0) Fail(task.file);
  static char buffer[128 << 10];
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0) Fail(task.file);
    if (got == 0) lseek(file, 0, SEEK_SET);
  }
  const Cost cost{CpuTime() - begin, 0};
  close(file);
  return cost;
}

// Children that allocate more memory than the control group has.
Cost Deaths(const Task& task) {
  const uint64_t begin = CpuTime();
  uint64_t killed = 0;
  for (uint64_t i = 0; i < task.count; ++i) {
    const pid_t child = fork();
    if (child < 0) Fail("fork");
    if (child == 0) {
      constexpr size_t kMost = 256 << 20;
      auto* const memory = static_cast<char*>(
          mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      for (size_t at = 0; memory != MAP_FAILED && at < kMost; at += 4096) memory[at] = 1;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
  }
  return {CpuTime() - begin, killed};
}

constexpr Load kLoads[] = {
    {"switch", "two processes on one CPU, a byte to and fro; switches", Switches},
    {"sched", "the same; switches and wakeups", SwitchesAndWakeups},
    {"idle", "the same on two CPUs; elapsed time", Idles},
    {"ipi", "barriers that interrupt the other CPU", Barriers},
    {"lock", "two threads at one pipe's mutex", Contends},
    {"reclaim", "reads a file in too little memory", Reclaims},
    {"oom", "children that are killed for want of memory", Deaths},
};

}  // namespace

std::span<const Load> PairedLoads() { return kLoads; }

}  // namespace load
