// SPDX-License-Identifier: BSD-2-Clause
// Changes in how memory is mapped, touched and cached.
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// Maps anonymous memory with the given madvise() advice and touches every page.
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

int PageFaults(const Options& options) {
  constexpr size_t kBytes = size_t{2} << 20;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("image", [&] {
    Threads threads;
    threads.StartMany("scaler-", 2, [&](int) {
      void* const memory =
          mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) return;
      madvise(memory, kBytes, MADV_NOHUGEPAGE);
      auto* const bytes = static_cast<volatile char*>(memory);
      Pace pace(milliseconds(10));
      while (Clock::now() < end) {
        pace.Wait();
        for (size_t at = 0; at < kBytes; at += 4096) bytes[at] = 1;
        Work(microseconds(300));
        if (options.slow) madvise(memory, kBytes, MADV_DONTNEED);
      }
      munmap(memory, kBytes);
    });
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
    threads.StartMany("page-", 2, [&](int) {
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
  });
  return 0;
}

int MemoryBound(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("graph", [&] {
    // Each step reads the index that the step before it found.
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

}  // namespace

std::vector<Scenario> MemoryScenarios() {
  return {
      {"page_faults", "memory is returned to the kernel after each item", PageFaults},
      {"address_space", "a thread maps and unmaps 16 MiB all the time", AddressSpace},
      {"memory_bound", "a table does not fit into the CPU cache", MemoryBound},
      {"small_pages", "a large table lies in small pages", SmallPages},
      {"forked_heap", "the process that forks has 192 MiB instead of 2 MiB", ForkedHeap},
  };
}

}  // namespace planted
