// SPDX-License-Identifier: BSD-2-Clause
// What the scenarios are made of: time, work, names, processes, threads and messages.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace planted {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// Computes a fixed number of steps, which take about so long on a CPU of 3 GHz.
void Work(microseconds about);

// Sleeps so long at least; signals do not shorten it.
void Nap(microseconds length);

// Whatever happens at a fixed rate: Wait() sleeps until the next turn. Turns that were missed are
// left out, as a client that is late does not ask twice.
class Pace {
 public:
  explicit Pace(microseconds period) : period_(period), next_(Clock::now() + period) {}
  void Wait();

 private:
  microseconds period_;
  Clock::time_point next_;
};

// Works at a fixed rate until `end`.
void WorkAtAPace(Clock::time_point end, microseconds period, microseconds work);

// Names the calling thread; the kernel keeps 15 bytes.
void NameThread(const std::string& name);

// Pins the calling thread, and those it makes from then on, to the last CPU that it may run on.
void PinToLastCpu();

// SCHED_FIFO for the calling thread. False where that is not allowed.
bool MakeRealTime(int priority);

// Threads with names that are joined at the end of the scope.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();
  void Start(const std::string& name, std::function<void()> body);

 private:
  std::vector<std::thread> threads_;
};

// Child processes with names. They die with this one, and are waited for at the end of the scope.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes();
  pid_t Start(const std::string& name, const std::function<void()>& body);

 private:
  std::vector<pid_t> children_;
};

// A pair of sockets between processes or threads that keeps the bounds of messages: one number
// each.
class Channel {
 public:
  Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();
  // True when the message is on its way; false when the channel is full or shut.
  bool Send(int message);
  // Waits. False when the channel was shut.
  bool Receive(int* message);
  // Everybody who waits, in whatever process, gets false from now on.
  void Shut();

 private:
  int ends_[2];
};

// A file in `folder` to write and read, which is gone when the last process that has it is.
class NamelessFile {
 public:
  // Says on stderr why there can be none.
  explicit NamelessFile(const std::string& folder);
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();
  bool good() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  // Another descriptor of the same file, which is the caller's; negative where that fails.
  int OpenAgain(int flags) const;

 private:
  int descriptor_;
};

}  // namespace planted
