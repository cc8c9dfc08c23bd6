// SPDX-License-Identifier: BSD-2-Clause
// The loads of scripts/bench_prices. Each load makes a number of events of one category.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace load {

// The arguments of a load.
struct Task {
  uint64_t count = 1;     // units of its work
  const char* file = "";  // a file of at least 1 MiB for the loads that read one
};

// The result of a load.
struct Cost {
  uint64_t ns = 0;      // CPU time of all threads and children, or the time that the load reports
  uint64_t events = 0;  // its own count of events; 0: unknown
  uint64_t units = 0;   // completed units if a time limit ended the load; 0: all
};

// The time limit of loads that wait for other CPUs.
constexpr uint64_t kMostWaiting = 1'000'000'000;

struct Load {
  std::string_view name;
  std::string_view what;
  // Runs the load. Exits with a message if the machine does not permit it.
  Cost (*run)(const Task&);
};

// The loads that repeat one operation on one CPU.
std::span<const Load> SingleLoads();
// The loads that need two CPUs or other processes.
std::span<const Load> PairedLoads();

// Ends the program with a message and the text of errno.
[[noreturn]] void Fail(const char* what);
// Pins the calling thread to the first or last CPU of the process.
void PinToFirst();
void PinToLast();
// Returns the CPU time of this process and its reaped children, ns.
uint64_t CpuTime();
uint64_t ThreadTime();
uint64_t Elapsed();

}  // namespace load
