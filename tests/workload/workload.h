// SPDX-License-Identifier: BSD-2-Clause
// The parts of the workload program: each makes the scheduler do one kind of thing a known number
// of times and prints what it did as `<part> key=value ...` lines on stdout, so that a test can
// look for exactly that in a capture. Every part returns the process exit status: 0 when all of it
// was done.
#pragma once

#include <cstdint>
#include <string>

namespace workload {

struct PingPongOptions {
  int cpu = -1;  // both ends are pinned to it; -1 leaves them to the scheduler
  uint32_t count = 1000;
};

struct ForkStormOptions {
  uint32_t count = 1000;
  uint32_t parallel = 8;  // children alive at once, at most
  bool exec = false;      // each child executes this program again before it exits
};

struct MessagingOptions {
  uint32_t groups = 1;
  uint32_t pairs = 4;   // senders, and as many receivers, in each group
  uint32_t count = 50;  // messages from each sender to each receiver
};

struct TimerWakeupsOptions {
  int cpu = 0;           // both processes are pinned to it
  uint32_t count = 200;  // times that the sleeper goes to sleep
};

// Two processes hand one byte to and fro through pipes, `count` times each way.
int PingPong(const PingPongOptions& options);

// Groups of senders and receivers over socket pairs, many runnable tasks at once.
int Messaging(const MessagingOptions& options);

// Short-lived processes, one after the other with `parallel` alive at a time. Prints how many
// process ids came up more than once.
int ForkStorm(const ForkStormOptions& options);

// `count` threads that are all alive before the first one leaves.
int Threads(uint32_t count);

// A process is stopped and continued three times.
int StopContinue();

// A process renames itself, its second thread, and that thread through /proc.
int Renames();

// A process sleeps for 2 ms `count` times on a CPU on which another one computes all the while: it
// is the interrupt of a timer that wakes it, whoever runs there.
int TimerWakeups(const TimerWakeupsOptions& options);

// A process of three threads, NAME, NAME-2 and NAME-3, that sleep 5 ms at a time until it is
// killed.
int Resident(const std::string& name);

// Nice values and scheduling policies in turn. A change that privilege forbids is printed as such
// and is no failure.
int Priorities();

// Processes whose names are invalid UTF-8, control characters, empty, cut in the middle of a
// character.
int HostileNames();

// One message into the kernel's log, through /dev/kmsg.
int KernelMessage(const std::string& text);

// Prints what the program was given by whoever executed it: scheduling, limits, signals,
// descriptors, rights, environment.
int Inherited();

// All of the above in turn, but for TimerWakeups, Resident and Inherited.
int Script(uint32_t rounds);

}  // namespace workload
