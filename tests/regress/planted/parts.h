// SPDX-License-Identifier: BSD-2-Clause
// The parts of the scenarios: time, work, threads, processes, messages and files.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace planted {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// Computes a fixed number of steps. On a CPU of 3 GHz they take `about` this long.
void Work(microseconds about);

// Sleeps for at least `length`; signals do not shorten the sleep.
void Nap(microseconds length);

// A clock for work at a fixed rate: Wait() sleeps until the next period begins. Missed periods are
// skipped, so a late client does not send two requests at once.
class Pace {
 public:
  explicit Pace(microseconds period) : period_(period), next_(Clock::now() + period) {}
  void Wait();

 private:
  microseconds period_;
  Clock::time_point next_;
};

// Computes for `work` once per `period`, until `end`.
void WorkAtAPace(Clock::time_point end, microseconds period, microseconds work);

// Names the calling thread. The kernel keeps 15 bytes.
void NameThread(const std::string& name);

// Pins the calling thread and its later threads to the last CPU of its affinity mask.
void PinToLastCpu();

// Gives the calling thread the policy SCHED_FIFO. Returns false where the kernel refuses it.
bool MakeRealTime(int priority);

// Named threads. The destructor joins them.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();
  void Start(const std::string& name, std::function<void()> body);
  // Starts `count` threads `name`0, `name`1 ... and calls `body` with the number of each.
  void StartMany(const std::string& name, unsigned count, const std::function<void(int)>& body);

 private:
  std::vector<std::thread> threads_;
};

// Named child processes. They die with their parent; the destructor waits for them.
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

// A queue of numbers between processes or threads, over a pair of SOCK_SEQPACKET sockets.
class Channel {
 public:
  Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();
  // Does not block. Returns false if the channel is full or shut.
  bool Send(int message);
  // Waits for a message. Returns false once the channel is shut.
  bool Receive(int* message);
  // Makes Receive() return false in every process from now on.
  void Shut();

 private:
  int ends_[2];
};

// A bounded queue between threads. Put() waits while it is full, Take() while it is empty.
class Queue {
 public:
  explicit Queue(size_t capacity) : capacity_(capacity) {}
  void Put(int item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < capacity_ || shut_; });
    items_.push_back(item);
    changed_.notify_all();
  }
  // Returns false once the queue is shut and empty.
  bool Take(int* item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || shut_; });
    if (items_.empty()) return false;
    *item = items_.front();
    items_.pop_front();
    changed_.notify_all();
    return true;
  }
  void Shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    changed_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> items_;
  bool shut_ = false;
};

// Serves requests one at a time until `requests` is shut: calls `handle`, then sends the request
// back as its answer.
void Serve(Channel& requests, Channel& answers, const std::function<void(int request)>& handle);

// Runs a client until `end`: sleeps for `pause`, sends a request, waits for the answer and calls
// `then`. Shuts `requests` at the end.
void RequestUntil(Clock::time_point end, microseconds pause, Channel& requests, Channel& answers,
                  const std::function<void()>& then = {});

// A file in `folder` without a name. It disappears with the last process that has it open.
class NamelessFile {
 public:
  // Prints the reason on stderr if the file cannot be created.
  explicit NamelessFile(const std::string& folder);
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();
  bool good() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  // Writes `bytes` bytes and syncs them. Prints the reason on stderr and returns false on failure.
  bool Fill(size_t bytes) const;
  // Opens the file again. The caller owns the descriptor, which is negative on failure.
  int OpenAgain(int flags) const;

 private:
  int descriptor_;
};

}  // namespace planted
