// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of memory, pipes, caches and CPUs that are used in another way.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// Anonymous memory in pages of the size that is wanted, all of it there.
volatile char* Memory(size_t bytes, int advice) {
  constexpr size_t kHuge = size_t{2} << 20;
  void* const memory =
      mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes + kHuge, advice);
  const uintptr_t at = (reinterpret_cast<uintptr_t>(memory) + kHuge - 1) / kHuge * kHuge;
  auto* const aligned = reinterpret_cast<volatile char*>(at);
  for (size_t page = 0; page < bytes; page += 4096) aligned[page] = 1;
  return aligned;
}

void RunOn(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

int ForkedHeap(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("keeper", [&] {
    if (Memory(options.slow ? size_t{192} << 20 : size_t{2} << 20, MADV_NOHUGEPAGE) == nullptr) {
      return;
    }
    while (Clock::now() < end) {
      Nap(milliseconds(60));
      const pid_t child = fork();
      if (child == 0) _exit(0);
      if (child > 0) waitpid(child, nullptr, 0);
    }
  });
  return 0;
}

int SmallPages(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("solver", [&] {
    constexpr size_t kBytes = size_t{128} << 20;
    volatile char* const memory = Memory(kBytes, options.slow ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    if (memory == nullptr) return;
    Threads threads;
    threads.Start("gather", [&] {
      uint64_t at = 1;
      Pace pace(milliseconds(10));
      while (Clock::now() < end) {
        pace.Wait();
        for (int i = 0; i < 30'000; ++i) {
          at = at * 6364136223846793005U + 1442695040888963407U +
               static_cast<uint64_t>(memory[(at >> 20) % kBytes]);
        }
      }
      memory[0] = static_cast<char>(at);
    });
  });
  return 0;
}

int SmallPipe(const Options& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 ||
      fcntl(ends[1], F_SETPIPE_SZ, options.slow ? 4096 : 1 << 20) < 0) {
    perror("planted: pipe");
    return 1;
  }
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("upload", [&] {
    close(ends[1]);
    std::vector<char> bytes(size_t{1} << 18);
    while (read(ends[0], bytes.data(), bytes.size()) > 0) Work(microseconds(5));
  });
  close(ends[0]);
  processes.Start("export", [&] {
    const std::vector<char> bytes(size_t{1} << 18, 'x');
    while (Clock::now() < end) {
      Nap(milliseconds(10));
      if (write(ends[1], bytes.data(), bytes.size()) < 0) return;
    }
  });
  close(ends[1]);
  return 0;
}

int SmallerCache(const Options& options) {
  constexpr size_t kBytes = size_t{24} << 20;
  constexpr size_t kPage = 4096;
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const std::vector<char> bytes(kBytes, 'x');
  const bool written =
      write(file.descriptor(), bytes.data(), kBytes) == static_cast<ssize_t>(kBytes) &&
      fsync(file.descriptor()) == 0;
  if (written) {
    const auto end = Clock::now() + options.length;
    Processes processes;
    processes.Start("lookup", [&] {
      std::vector<char> page(kPage);
      uint64_t at = 1;
      while (Clock::now() < end) {
        Nap(milliseconds(3));
        at = at * 6364136223846793005U + 1442695040888963407U;
        const auto offset = static_cast<off_t>((at >> 33) % (kBytes / kPage) * kPage);
        if (pread(file.descriptor(), page.data(), kPage, offset) < 0) return;
        Work(microseconds(50));
      }
    });
    // Something takes the memory that the pages of the file were in, some at a time.
    processes.Start("pressure", [&] {
      while (Clock::now() < end) {
        Nap(milliseconds(20));
        if (!options.slow) continue;
        for (off_t from = 0; from < static_cast<off_t>(kBytes); from += off_t{4} << 20) {
          posix_fadvise(file.descriptor(), from, off_t{2} << 20, POSIX_FADV_DONTNEED);
        }
      }
    });
  }
  return written ? 0 : 1;
}

int Bouncing(const Options& options) {
  const auto end = Clock::now() + options.length;
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  Processes processes;
  processes.Start("tour", [&] {
    Threads threads;
    threads.Start("guide", [&] {
      int turn = 0;
      while (Clock::now() < end) {
        Nap(microseconds(700));
        for (int i = 0; i < 2; ++i) {
          Work(microseconds(40));
          // Follows its data from CPU to CPU.
          if (options.slow) RunOn(++turn % cpus);
        }
      }
    });
  });
  return 0;
}

int LargerBatches(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel items;
  Processes processes;
  processes.Start("packer", [&] {
    int count = 0;
    while (items.Receive(&count)) Work(microseconds(20 * count));
  });
  processes.Start("orders", [&] {
    const int batch = options.slow ? 20 : 2;
    Pace pace(microseconds(250 * batch));
    while (Clock::now() < end) {
      pace.Wait();
      Work(microseconds(10 * batch));
      items.Send(batch);
    }
    items.Shut();
  });
  return 0;
}

int OtherOrder(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  const auto start = [&](int number) {
    processes.Start(number == 0 ? "baker" : "butcher", [&, number] {
      Threads threads;
      for (int i = 0; i < 2; ++i) {
        threads.Start("hand-" + std::to_string(i), [&, number] {
          Pace pace(milliseconds(number == 0 ? 3 : 7));
          while (Clock::now() < end) {
            pace.Wait();
            Work(microseconds(number == 0 ? 150 : 900));
          }
        });
      }
    });
  };
  start(options.slow ? 1 : 0);
  start(options.slow ? 0 : 1);
  return 0;
}

}  // namespace planted
