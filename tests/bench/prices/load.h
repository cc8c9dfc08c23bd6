// SPDX-License-Identifier: BSD-2-Clause
// What scripts/bench_prices records: each load makes events of one category, as many as are asked
// for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace load {

// What a load was asked for, and where it may work.
struct Task {
  uint64_t count = 1;     // units of its work
  const char* file = "";  // one that it may read, of 1 MiB and more; of the loads that need one
};

// What it took.
struct Cost {
  uint64_t ns = 0;      // CPU time of all its threads and children, or what the load says instead
  uint64_t events = 0;  // of its category by its own count; 0: only a recorder can tell
  uint64_t units = 0;   // that were done, where a time limit came first; 0: all of them
};

// Loads that wait for other CPUs stop after so long.
constexpr uint64_t kMostWaiting = 1'000'000'000;

struct Load {
  std::string_view name;
  std::string_view what;
  // Runs it; exits with a message where the machine does not let it.
  Cost (*run)(const Task&);
};

// Those that do one thing again and again on one CPU.
std::span<const Load> SingleLoads();
// Those that need two CPUs, or other processes.
std::span<const Load> PairedLoads();

// Ends the program with what failed and errno's text.
[[noreturn]] void Fail(const char* what);
// Pins the calling thread: to the first or the last CPU that the process may use.
void PinToFirst();
void PinToLast();
// CPU time of this process and of the children that it waited for, ns.
uint64_t CpuTime();
uint64_t ThreadTime();
uint64_t Elapsed();

}  // namespace load
