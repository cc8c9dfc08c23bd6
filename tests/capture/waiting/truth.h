// SPDX-License-Identifier: BSD-2-Clause
// What a program knows of its own waits, and how it prints it.
//
// A line for each wait, with tabs between: the kind, the id of the waiting thread, begin and end
// (CLOCK_BOOTTIME, ns), the system call, the kind of the thing, its name, the peer, the asked time
// (ns) and a regular expression of the reason. "" is a column that has to be empty, "?" one that
// the program does not know. "a..b" is a range of numbers.
#pragma once

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
  Waits() : tid_(Tid()) {}
  template <typename Wait>
  void Add(const Wait& wait) {
    const uint64_t begin = Now();
    wait();
    times_.push_back({begin, Now()});
  }
  int tid() const { return tid_; }
  size_t size() const { return times_.size(); }
  void Print(const std::string& kind, const Expected& expected) const;
  void Print(const std::string& kind, const std::function<Expected(size_t)>& expected) const;

 private:
  struct Times {
    uint64_t begin;
    uint64_t end;
  };
  int tid_;
  std::vector<Times> times_;
};

void Skip(const std::string& kind, const std::string& why);

// Runs `wait` in one thread, and `act` in another after a pause for each of the waits. Both get the
// number of the wait.
struct Pair {
  Waits waits;
  int actor = 0;
  std::string peer() const { return std::to_string(actor); }
};
Pair Run(const std::function<void(int)>& wait, const std::function<void(int)>& act);

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
