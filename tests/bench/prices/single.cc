// SPDX-License-Identifier: BSD-2-Clause
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pty.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/prices/load.h"

// The function that probes use.
volatile uint64_t calls_made = 0;

extern "C" __attribute__((noinline, noclone, noipa)) uint64_t probed_function(uint64_t number) {
  calls_made = calls_made + 1;
  return number;
}

namespace load {
namespace {

constexpr size_t kPage = 4096;

Cost SystemCalls(const Task& task) {
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) syscall(SYS_getppid);
  return {CpuTime() - begin, 2 * task.count};
}

Cost Renames(const Task& task) {
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i)
    prctl(PR_SET_NAME, i % 2 == 0 ? "price-even" : "price-odd");
  return {CpuTime() - begin, task.count};
}

Cost Messages(const Task& task) {
  const int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  if (log < 0) Fail("/dev/kmsg");
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    // The level debug does not reach the console.
    if (write(log, "<7>price: a message\n", 20) < 0) Fail("/dev/kmsg");
  }
  return {CpuTime() - begin, task.count};
}

Cost Faults(const Task& task) {
  constexpr uint64_t kPages = 4096;
  auto* const memory = static_cast<char*>(
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) Fail("mmap");
  madvise(memory, kPages * kPage, MADV_NOHUGEPAGE);
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    const uint64_t page = i % kPages;
    if (page == 0) madvise(memory, kPages * kPage, MADV_DONTNEED);
    static_cast<volatile char*>(memory)[page * kPage] = 1;
  }
  const Cost cost{CpuTime() - begin, task.count};
  munmap(memory, kPages * kPage);
  return cost;
}

Cost Signals(const Task& task) {
  signal(SIGUSR1, [](int) {});
  const pid_t self = getpid();
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) kill(self, SIGUSR1);
  return {CpuTime() - begin, 2 * task.count};
}

int LoopbackSocket() {
  const int both = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (both < 0 || bind(both, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(both, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      connect(both, reinterpret_cast<sockaddr*>(&address), size) != 0) {
    Fail("a socket on the loopback device");
  }
  return both;
}

uint64_t SendPackets(uint64_t count) {
  const int both = LoopbackSocket();
  char byte = 0;
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < count; ++i) {
    if (send(both, &byte, 1, 0) != 1 || recv(both, &byte, 1, 0) != 1) Fail("send and recv");
  }
  const uint64_t cost = CpuTime() - begin;
  close(both);
  return cost;
}

// Three events: queued, transmitted and received.
Cost Packets(const Task& task) { return {SendPackets(task.count), 3 * task.count}; }

// A softirq receives the packet.
Cost SoftInterrupts(const Task& task) { return {SendPackets(task.count), 2 * task.count}; }

// Both ends of a TCP connection. Four events: a request of the client begins, one of the server
// begins and ends, and that of the client ends.
Cost Exchanges(const Task& task) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, at, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, at, &size) != 0 || connect(client, at, size) != 0) {
    Fail("a TCP connection");
  }
  const int server = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  const int now = 1;
  for (const int end : {client, server}) {
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
  }
  char byte = 0;
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    if (send(client, &byte, 1, 0) != 1 || recv(server, &byte, 1, 0) != 1 ||
        send(server, &byte, 1, 0) != 1 || recv(client, &byte, 1, 0) != 1) {
      Fail("send and recv");
    }
  }
  const Cost cost{CpuTime() - begin, 4 * task.count};
  for (const int end : {listener, client, server}) close(end);
  return cost;
}

Cost Reads(const Task& task) {
  const int file = open(task.file, O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (file < 0) Fail(task.file);
  void* const page = aligned_alloc(kPage, kPage);
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    if (pread(file, page, kPage, static_cast<off_t>(i % 256 * kPage)) < 0) Fail(task.file);
  }
  const Cost cost{CpuTime() - begin, 0};
  free(page);
  close(file);
  return cost;
}

// Output to a terminal passes a work queue.
Cost Works(const Task& task) {
  int master = -1;
  int slave = -1;
  termios raw{};
  cfmakeraw(&raw);
  if (openpty(&master, &slave, nullptr, &raw, nullptr) != 0) Fail("openpty");
  char byte = 'x';
  const uint64_t begin = Elapsed();
  uint64_t done = 0;
  while (done < task.count && Elapsed() - begin < kMostWaiting) {
    if (write(master, &byte, 1) != 1 || read(slave, &byte, 1) != 1) Fail("a terminal");
    ++done;
  }
  // The time of a kernel worker is not in the CPU time of this process.
  const Cost cost{Elapsed() - begin, 3 * done, done};
  close(master);
  close(slave);
  return cost;
}

Cost Timers(const Task& task) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) Fail("timerfd_create");
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) {
    itimerspec soon{};
    soon.it_value.tv_nsec = 1;
    timerfd_settime(timer, 0, &soon, nullptr);
    uint64_t expired = 0;
    while (read(timer, &expired, sizeof expired) < 0) {
    }
  }
  const Cost cost{CpuTime() - begin, 2 * task.count};
  close(timer);
  return cost;
}

Cost Calls(const Task& task) {
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) probed_function(i);
  return {CpuTime() - begin, 2 * task.count};
}

Cost EntriesAlone(const Task& task) {
  Cost cost = Calls(task);
  cost.events = task.count;
  return cost;
}

Cost Probes(const Task& task) {
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) DTRACE_PROBE2(prices, point, i, i + 1);
  return {CpuTime() - begin, task.count};
}

// Sleeps longer than the minimum for stacks.
Cost Sleeps(const Task& task) {
  prctl(PR_SET_TIMERSLACK, 1);
  const timespec nap{0, 120'000};
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < task.count; ++i) nanosleep(&nap, nullptr);
  return {CpuTime() - begin, task.count};
}

// Computes; `count` is thousands of steps.
Cost Computes(const Task& task) {
  const uint64_t begin = CpuTime();
  for (uint64_t i = 0; i < 1000 * task.count; ++i) probed_function(i);
  return {CpuTime() - begin, 0};
}

constexpr Load kLoads[] = {
    {"syscall", "calls getppid", SystemCalls},
    {"rename", "renames itself", Renames},
    {"log", "writes to the kernel's log", Messages},
    {"fault", "touches pages", Faults},
    {"signal", "sends itself signals", Signals},
    {"packet", "sends itself packets", Packets},
    {"softirq", "the same; soft interrupts", SoftInterrupts},
    {"exchange", "sends itself requests over TCP", Exchanges},
    {"read", "reads a file from the disk", Reads},
    {"work", "writes to a terminal, through a work queue", Works},
    {"timer", "sets timers and awaits them", Timers},
    {"call", "calls a function", Calls},
    {"entry", "the same; entries alone", EntriesAlone},
    {"usdt", "passes a USDT probe", Probes},
    {"sleep", "sleeps for 120 us", Sleeps},
    {"compute", "computes", Computes},
};

}  // namespace

std::span<const Load> SingleLoads() { return kLoads; }

}  // namespace load
