// SPDX-License-Identifier: BSD-2-Clause
#include "truth.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

namespace truth {

int count = 0;
std::string folder;
std::string device;

int Tid() { return static_cast<int>(syscall(SYS_gettid)); }

uint64_t Now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::_Exit(1);
}

int Check(long result, const char* what) {
  if (result < 0) Fail(what);
  return static_cast<int>(result);
}

void Pause(long ns) {
  timespec time{0, ns};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

void Rest() { Pause(30'000); }

void Pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  Check(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

void AwaitSleep(int tid) {
  const std::string path = "/proc/" + std::to_string(tid) + "/stat";
  for (;;) {
    char text[128];
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t bytes = read(fd, text, sizeof(text));
    close(fd);
    // The state follows the name, which may have any characters.
    const std::string_view stat(text, bytes < 0 ? 0 : static_cast<size_t>(bytes));
    const size_t end = stat.rfind(") ");
    if (end == std::string_view::npos) return;
    if (stat[end + 2] != 'R') break;
    Rest();
  }
  Pause();
}

void ReadByte(int fd) {
  char byte;
  if (read(fd, &byte, 1) != 1) Fail("read");
}

void WriteByte(int fd) {
  if (write(fd, "x", 1) != 1) Fail("write");
}

uint64_t Inode(int fd) {
  struct stat info {};
  Check(fstat(fd, &info), "fstat");
  return info.st_ino;
}

std::string Hex(const void* from) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%lx", reinterpret_cast<unsigned long>(from));
  return text;
}

std::string Within(const void* from, size_t bytes) {
  return Hex(from) + ".." + Hex(static_cast<const char*>(from) + bytes - 1);
}

namespace {

// ns that this thread ran or waited for a CPU.
uint64_t NotAsleep() {
  uint64_t ran = 0;
  uint64_t waited = 0;
  std::ifstream("/proc/thread-self/schedstat") >> ran >> waited;
  return ran + waited;
}

uint64_t CpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

long VoluntarySwitches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

void Waits::Begin() {
  sleeps_ = VoluntarySwitches();
  if (measures_) awake_ = NotAsleep();
  cpu_time_ = CpuTime();
  times_.emplace_back();  // may need a page
  times_.back().begin = Now();
}

void Waits::End() {
  constexpr uint64_t kLong = 250'000;
  times_.back().end = Now();
  if (measures_) {
    const uint64_t awake = NotAsleep() - awake_;
    times_.back().asleep = length(size() - 1) - std::min(awake, length(size() - 1));
  }
  const uint64_t ran = CpuTime() - cpu_time_;
  if (VoluntarySwitches() != sleeps_ && length(size() - 1) >= ran + kLong) ++slept_;
}

bool Waits::AreEnough() const {
  constexpr size_t kTries = 10;
  return slept_ >= count || size() >= kTries * static_cast<size_t>(count);
}

void Waits::Print(const std::string& kind, const Expected& expected) const {
  Print(kind, [&](size_t) { return expected; });
}

void Waits::Print(const std::string& kind, const std::function<Expected(size_t)>& expected) const {
  for (size_t i = 0; i < times_.size(); ++i) {
    const Expected each = expected(i);
    std::printf("%s\t%d\t%llu\t%llu\t%s\t%s\t%s\t%s\t%s\t%s\n", kind.c_str(), tid_,
                static_cast<unsigned long long>(times_[i].begin),
                static_cast<unsigned long long>(times_[i].end), each.call.c_str(),
                each.object_kind.c_str(), each.object.c_str(), each.peer.c_str(),
                each.asked.c_str(), each.reason.c_str());
  }
  std::fflush(stdout);
}

void Skip(const std::string& kind, const std::string& why) {
  std::printf("SKIPPED\t%s\t%s\n", kind.c_str(), why.c_str());
  std::fflush(stdout);
}

Pair Run(const std::function<void(int)>& wait, const std::function<void(int)>& act) {
  std::optional<Waits> waits;
  std::atomic<int> actor{0};
  std::atomic<int> begun{-1};
  std::atomic<int> waiter{0};
  std::thread waiting([&] {
    waits.emplace();
    waiter = Tid();
    for (int i = 0; i < count; ++i) {
      waits->Add([&] {
        begun = i;
        wait(i);
      });
    }
  });
  std::thread acting([&] {
    actor = Tid();
    for (int i = 0; i < count; ++i) {
      while (begun < i) Rest();
      AwaitSleep(waiter);
      act(i);
    }
  });
  waiting.join();
  acting.join();
  return {std::move(*waits), actor};
}

Contest* SharedContest() {
  void* const memory =
      mmap(nullptr, sizeof(Contest), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) Fail("mmap");
  return new (memory) Contest;
}

namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }

  std::string Text() const {
    char text[INET6_ADDRSTRLEN];
    if (storage.ss_family == AF_INET6) {
      const auto* const six = reinterpret_cast<const sockaddr_in6*>(&storage);
      inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text));
      return "[" + std::string(text) + "]:" + std::to_string(ntohs(six->sin6_port));
    }
    const auto* const four = reinterpret_cast<const sockaddr_in*>(&storage);
    inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text));
    return std::string(text) + ":" + std::to_string(ntohs(four->sin_port));
  }
};

Address Loopback(int family) {
  Address address;
  if (family == AF_INET6) {
    auto* const six = reinterpret_cast<sockaddr_in6*>(&address.storage);
    six->sin6_family = AF_INET6;
    six->sin6_addr = in6addr_loopback;
    address.size = sizeof(sockaddr_in6);
  } else {
    auto* const four = reinterpret_cast<sockaddr_in*>(&address.storage);
    four->sin_family = AF_INET;
    four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.size = sizeof(sockaddr_in);
  }
  return address;
}

}  // namespace

std::string LocalEnd(int fd) {
  Address local;
  Check(getsockname(fd, local.get(), &local.size), "getsockname");
  return local.Text();
}

std::string Ends(int fd) {
  Address remote;
  Check(getpeername(fd, remote.get(), &remote.size), "getpeername");
  return LocalEnd(fd) + " -> " + remote.Text();
}

void Connect(int family, int type, int ends[2]) {
  Address address = Loopback(family);
  const int first = Check(socket(family, type, 0), "socket");
  Check(bind(first, address.get(), address.size), "bind");
  Check(getsockname(first, address.get(), &address.size), "getsockname");
  ends[0] = Check(socket(family, type, 0), "socket");
  if (type == SOCK_STREAM) Check(listen(first, 1), "listen");
  Check(connect(ends[0], address.get(), address.size), "connect");
  if (type == SOCK_STREAM) {
    ends[1] = Check(accept(first, nullptr, nullptr), "accept");
    close(first);
  } else {
    Check(getsockname(ends[0], address.get(), &address.size), "getsockname");
    Check(connect(first, address.get(), address.size), "connect");
    ends[1] = first;
  }
}

}  // namespace truth
