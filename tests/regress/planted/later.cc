// SPDX-License-Identifier: BSD-2-Clause
// Scenarios that were made after all the others, to see what of the method holds.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

int ExtraHop(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers, forwarded, returned;
  Processes processes;
  Channel& served = options.slow ? forwarded : questions;
  Channel& given = options.slow ? returned : answers;
  processes.Start("store", [&] {
    int question = 0;
    while (served.Receive(&question)) {
      Work(microseconds(120));
      given.Send(question);
    }
  });
  if (options.slow) {
    processes.Start("sidecar", [&] {
      int message = 0;
      while (questions.Receive(&message)) {
        Work(microseconds(100));
        forwarded.Send(message);
        if (!returned.Receive(&message)) return;
        Work(microseconds(100));
        answers.Send(message);
      }
    });
  }
  processes.Start("basket", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(2));
      if (!questions.Send(0) || !answers.Receive(&answer)) break;
      Work(microseconds(60));
    }
    questions.Shut();
    forwarded.Shut();
  });
  return 0;
}

namespace {

// Both ends of a TCP connection of this machine with itself.
bool Connect(int ends[2]) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool good = listener >= 0 && ends[0] >= 0 && bind(listener, any, size) == 0 &&
                    listen(listener, 1) == 0 && getsockname(listener, any, &size) == 0 &&
                    connect(ends[0], any, size) == 0;
  ends[1] = good ? accept4(listener, nullptr, nullptr, SOCK_CLOEXEC) : -1;
  close(listener);
  return ends[1] >= 0;
}

bool Read(int socket, char* bytes, size_t count) {
  for (size_t got = 0; got < count;) {
    const ssize_t now = read(socket, bytes + got, count - got);
    if (now <= 0) return false;
    got += static_cast<size_t>(now);
  }
  return true;
}

}  // namespace

int DelayedSegments(const Options& options) {
  int ends[2];
  if (!Connect(ends)) {
    perror("planted: no connection with this machine");
    return 1;
  }
  // A question is written in two parts. The second one waits until the first is acknowledged,
  // unless that is turned off, and the other side acknowledges when it answers, or 40 ms later.
  const int no_delay = options.slow ? 0 : 1;
  setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("ledger", [&] {
    close(ends[0]);
    char question[16];
    while (Read(ends[1], question, sizeof question)) {
      Work(microseconds(80));
      if (write(ends[1], question, sizeof question) < 0) return;
    }
  });
  close(ends[1]);
  processes.Start("till", [&] {
    char question[16] = {};
    while (Clock::now() < end) {
      Nap(milliseconds(5));
      if (write(ends[0], question, 4) < 0 || write(ends[0], question, 12) < 0) return;
      if (!Read(ends[0], question, sizeof question)) return;
    }
  });
  close(ends[0]);
  return 0;
}

int SleepingPoll(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel orders, receipts;
  Processes processes;
  processes.Start("kitchen", [&] {
    int order = 0;
    while (orders.Receive(&order)) {
      // Whoever waits with a pause finds the work some time after it was there.
      if (options.slow) Nap(microseconds(3000));
      Work(microseconds(150));
      receipts.Send(order);
    }
  });
  processes.Start("waiter", [&] {
    Threads threads;
    threads.Start("table", [&] {
      int receipt = 0;
      while (Clock::now() < end) {
        Nap(milliseconds(4));
        if (!orders.Send(1) || !receipts.Receive(&receipt)) break;
      }
      orders.Shut();
    });
  });
  return 0;
}

int ExclusiveReaders(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("router", [&] {
    std::shared_mutex shared;
    std::mutex exclusive;
    Threads threads;
    for (int i = 0; i < 5; ++i) {
      threads.Start("lookup-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          if (options.slow) {
            const std::lock_guard lock(exclusive);
            Nap(microseconds(1500));
          } else {
            const std::shared_lock lock(shared);
            Nap(microseconds(1500));
          }
          Work(microseconds(60));
          Nap(microseconds(2500));
        }
      });
    }
  });
  return 0;
}

int AddressSpace(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("viewer", [&] {
    Threads threads;
    if (options.slow) {
      threads.Start("mapper", [&] {
        constexpr size_t kBytes = size_t{16} << 20;
        while (Clock::now() < end) {
          void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
          if (memory != MAP_FAILED) munmap(memory, kBytes);
          Nap(milliseconds(4));
        }
      });
    }
    for (int i = 0; i < 2; ++i) {
      threads.Start("page-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          void* const memory =
              mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          if (memory == MAP_FAILED) return;
          auto* const bytes = static_cast<volatile char*>(memory);
          for (size_t at = 0; at < 65536; at += 4096) bytes[at] = 1;
          munmap(memory, 65536);
          Nap(milliseconds(2));
        }
      });
    }
  });
  return 0;
}

int Checkpoint(const Options& options) {
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("table", [&] {
    std::mutex mutex;
    Threads threads;
    threads.Start("checkpointer", [&] {
      const std::string bytes(size_t{256} << 10, 'x');
      while (Clock::now() < end) {
        Nap(milliseconds(60));
        const std::lock_guard lock(mutex);
        if (pwrite(file.descriptor(), bytes.data(), bytes.size(), 0) < 0) return;
        if (options.slow) fdatasync(file.descriptor());
      }
    });
    for (int i = 0; i < 3; ++i) {
      threads.Start("insert-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          Nap(milliseconds(2));
          const std::lock_guard lock(mutex);
          Work(microseconds(30));
        }
      });
    }
  });
  return 0;
}

int RealTimeNeighbour(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("radio", [&] {
    PinToLastCpu();
    MakeRealTime(40);
    while (Clock::now() < end) {
      Nap(milliseconds(20));
      Work(microseconds(options.slow ? 9000 : 300));
    }
  });
  processes.Start("console", [&] {
    PinToLastCpu();
    Threads threads;
    threads.Start("repaint", [&] {
      Pace pace(milliseconds(5));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(500));
      }
    });
  });
  return 0;
}

int MemoryBound(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("graph", [&] {
    // Each step needs the one before it: from the cache, or from memory.
    const size_t steps = options.slow ? size_t{8} << 20 : size_t{4} << 10;
    std::vector<uint32_t> next(steps);
    for (size_t i = 0; i < steps; ++i) {
      next[i] = static_cast<uint32_t>((i + 40'503 * 16) % steps);
    }
    Threads threads;
    threads.Start("walk", [&] {
      uint32_t at = 0;
      Pace pace(milliseconds(10));
      while (Clock::now() < end) {
        pace.Wait();
        for (int i = 0; i < 40'000; ++i) at = next[at];
        if (at == UINT32_MAX) return;
      }
    });
  });
  return 0;
}

int Stopped(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  const pid_t server = processes.Start("sampled", [&] {
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(100));
      answers.Send(question);
    }
  });
  processes.Start("asker", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(2));
      if (!questions.Send(0) || !answers.Receive(&answer)) break;
    }
    questions.Shut();
  });
  processes.Start("debugger", [&] {
    while (Clock::now() < end) {
      Nap(milliseconds(150));
      if (!options.slow) continue;
      kill(server, SIGSTOP);
      Nap(milliseconds(30));
      kill(server, SIGCONT);
    }
  });
  return 0;
}

int MoreThreadsSameWork(const Options& options) {
  const auto end = Clock::now() + options.length;
  const int threads_there = options.slow ? 8 : 4;
  Processes processes;
  processes.Start("encoder", [&] {
    Threads threads;
    for (int i = 0; i < threads_there; ++i) {
      threads.Start("slice-" + std::to_string(i), [&] {
        Pace pace(milliseconds(2 * threads_there));
        while (Clock::now() < end) {
          pace.Wait();
          Work(microseconds(300));
        }
      });
    }
  });
  return 0;
}

}  // namespace planted
