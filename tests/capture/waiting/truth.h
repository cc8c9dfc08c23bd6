// SPDX-License-Identifier: BSD-2-Clause
// What a program knows of its own waits, and how it prints it.
//
// A line for each wait, with tabs between: the kind, the id of the waiting thread, begin and end
// (CLOCK_BOOTTIME, ns), the system call, the kind of the thing, its name, the peer, the asked time
// (ns) and a regular expression of the reason. "" is a column that has to be empty, "?" one that
// the program does not know. "a..b" is a range of numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace truth {

extern int count;           // waits of each kind
extern std::string folder;  // for files
extern std::string device;  // a block device that may be read; may be empty

constexpr long kPause = 400'000;  // ns; the other side acts after this time

int Tid();
uint64_t Now();
[[noreturn]] void Fail(const char* what);
int Check(long result, const char* what);
void Pause(long ns = kPause);
// Until a condition is looked at again. An emulated CPU that waits busily keeps the others from
// running.
void Rest();
// In a loop that waits for another thread: an emulated CPU lets the others run.
inline void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
void Pin(int cpu);
// Until a thread of this machine sleeps, and then a pause. Returns at once if there is no such
// thread.
void AwaitSleep(int tid);
void ReadByte(int fd);
void WriteByte(int fd);
uint64_t Inode(int fd);
std::string Hex(const void* from);
// The range of addresses of an object.
std::string Within(const void* from, size_t bytes);

struct Expected {
  std::string call;
  std::string object_kind;
  std::string object;
  std::string peer;
  std::string asked;
  std::string reason = "?";
};

// The waits of one thread.
class Waits {
 public:
  // `measures`: how long the thread sleeps in each of them, which takes time.
  explicit Waits(bool measures = false) : tid_(Tid()), measures_(measures) {}
  template <typename Wait>
  void Add(const Wait& wait) {
    Begin();
    wait();
    End();
  }
  int tid() const { return tid_; }
  size_t size() const { return times_.size(); }
  uint64_t length(size_t i) const { return times_[i].end - times_[i].begin; }
  uint64_t asleep(size_t i) const { return times_[i].asleep; }
  // Waits for what may be there at once are repeated until the thread slept in `count` of them, or
  // up to a limit.
  bool AreEnough() const;
  int slept() const { return slept_; }
  void Print(const std::string& kind, const Expected& expected) const;
  void Print(const std::string& kind, const std::function<Expected(size_t)>& expected) const;

 private:
  struct Times {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t asleep = 0;
  };
  void Begin();
  void End();

  int tid_;
  bool measures_;
  int slept_ = 0;
  uint64_t awake_ = 0;
  long sleeps_ = 0;
  uint64_t cpu_time_ = 0;
  std::vector<Times> times_;
};

void Skip(const std::string& kind, const std::string& why);

// Runs `wait` in one thread, and `act` in another for each of the waits, when the first thread
// sleeps. Both get the number of the wait.
struct Pair {
  Waits waits;
  int actor = 0;
  std::string peer() const { return std::to_string(actor); }
};
Pair Run(const std::function<void(int)>& wait, const std::function<void(int)>& act);

// A thread holds a lock until another one sleeps for it. In memory of both.
struct Contest {
  std::atomic<int> waiter{0};
  std::atomic<int> held{-1};
  std::atomic<int> wanted{-1};
  std::atomic<int> passed{-1};

  template <typename Lock, typename Unlock>
  void Hold(const Lock& lock, const Unlock& unlock) {
    for (int i = 0; i < count; ++i) {
      lock();
      held = i;
      while (wanted < i) Rest();
      AwaitSleep(waiter);
      // Before it sleeps for a mutex with inheritance it spins for a while, and looks asleep.
      Pause();
      unlock();
      while (passed < i) Rest();
    }
  }

  template <typename Lock, typename Unlock>
  Waits Wait(const Lock& lock, const Unlock& unlock) {
    Waits waits;
    waiter = Tid();
    for (int i = 0; i < count; ++i) {
      while (held < i) Rest();
      waits.Add([&] {
        wanted = i;
        lock();
      });
      unlock();
      passed = i;
    }
    return waits;
  }
};
// One that processes share.
Contest* SharedContest();

// Two connected sockets of the Internet.
void Connect(int family, int type, int ends[2]);
std::string Ends(int fd);
std::string LocalEnd(int fd);

void Descriptors();
void Multiplexers();
void Locks();
void Sleeps();
void Processes();
void FileLocks();
void Disks();
void Memory();
void Exchanges();
void Limits(const std::string& mount);

}  // namespace truth
