// SPDX-License-Identifier: BSD-2-Clause
// The parts of the program workload. Each part causes one kind of scheduler event a known number of
// times and prints `PART key=value ...` lines, so a test can look for exactly these events. Each
// part returns the exit status of the process.
#pragma once

#include <cstdint>
#include <string>

namespace workload {

struct PingPongOptions {
  int cpu = -1;  // the CPU of both processes; -1: not pinned
  uint32_t count = 1000;
};

struct ForkStormOptions {
  uint32_t count = 1000;
  uint32_t parallel = 8;  // children alive at once, at most
  bool exec = false;      // each child calls exec before it exits
};

struct MessagingOptions {
  uint32_t groups = 1;
  uint32_t pairs = 4;   // senders, and as many receivers, in each group
  uint32_t count = 50;  // messages from each sender to each receiver
};

struct TimerWakeupsOptions {
  int cpu = 0;           // the CPU of both processes
  uint32_t count = 200;  // the number of sleeps
};

// Two processes exchange one byte through pipes, `count` times each way.
int PingPong(const PingPongOptions& options);

// Groups of senders and receivers over socket pairs, with many runnable tasks.
int Messaging(const MessagingOptions& options);

// Short-lived processes, `parallel` at a time. Prints the number of reused process ids.
int ForkStorm(const ForkStormOptions& options);

// `count` threads that are all alive before the first one ends.
int Threads(uint32_t count);

// A process is stopped and continued three times.
int StopContinue();

// A process changes its name and that of its second thread, also through /proc.
int Renames();

// A process sleeps for 2 ms `count` times on a CPU where another one computes. The timer interrupt
// wakes it.
int TimerWakeups(const TimerWakeupsOptions& options);

// A process with the threads NAME, NAME-2 and NAME-3, which sleep 5 ms at a time until a kill.
int Resident(const std::string& name);

// Nice values and scheduling policies in sequence. A change without permission is printed and is no
// failure.
int Priorities();

// Processes with names that are invalid UTF-8, control characters, empty, or truncated in a
// character.
int HostileNames();

// Writes one message to the kernel log through /dev/kmsg.
int KernelMessage(const std::string& text);

// Prints the inherited scheduling, limits, signals, descriptors, capabilities and environment.
int Inherited();

// All parts in sequence except TimerWakeups, Resident and Inherited.
int Script(uint32_t rounds);

}  // namespace workload
