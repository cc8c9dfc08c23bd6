// SPDX-License-Identifier: BSD-2-Clause
// prices_load NAME COUNT [FILE]: prints "COST_NS EVENTS UNITS". See load.h.
// prices_load mixed SECONDS [FILE]: all that can be mixed, on every CPU at once.
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench/prices/load.h"

namespace load {
namespace {

uint64_t Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// The CPUs that the process may use at its start.
const std::vector<int>& Cpus() {
  static const std::vector<int> cpus = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> found;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
    }
    return found;
  }();
  return cpus;
}

void Pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) Fail("sched_setaffinity");
}

const Load* Find(std::string_view name) {
  for (const auto loads : {SingleLoads(), PairedLoads()}) {
    for (const Load& each : loads) {
      if (each.name == name) return &each;
    }
  }
  return nullptr;
}

// A part of the mixture: a load with its units per turn.
struct Part {
  const char* name;
  uint64_t count;
};

constexpr Part kMixture[] = {{"syscall", 1000}, {"rename", 400}, {"fault", 600}, {"signal", 400},
                             {"packet", 300},   {"sched", 400},  {"timer", 50},  {"work", 5},
                             {"lock", 300},     {"ipi", 10},     {"sleep", 1}};
constexpr int kProcessesPerCpu = 2;  // one of them may wait

void Mix(uint64_t seconds, const char* file) {
  const uint64_t end = Read(CLOCK_MONOTONIC) + seconds * 1'000'000'000;
  while (Read(CLOCK_MONOTONIC) < end) {
    for (const Part& part : kMixture) Find(part.name)->run({part.count, file});
    if (*file != '\0') Find("read")->run({2, file});
  }
}

int Mixed(uint64_t seconds, const char* file) {
  for (const int cpu : Cpus()) {
    for (int i = 0; i < kProcessesPerCpu; ++i) {
      if (fork() != 0) continue;
      Pin(cpu);
      Mix(seconds, file);
      _exit(0);
    }
  }
  int status = 0;
  int failed = 0;
  while (wait(&status) > 0) failed |= status;
  return failed == 0 ? 0 : 1;
}

}  // namespace

void Fail(const char* what) {
  std::fprintf(stderr, "prices_load: %s: %s\n", what, strerror(errno));
  std::exit(1);
}

void PinToFirst() { Pin(Cpus().front()); }
void PinToLast() { Pin(Cpus().back()); }

uint64_t CpuTime() {
  uint64_t total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
      total += static_cast<uint64_t>(part.tv_sec) * 1'000'000'000 +
               static_cast<uint64_t>(part.tv_usec) * 1000;
    }
  }
  return total;
}
uint64_t ThreadTime() { return Read(CLOCK_THREAD_CPUTIME_ID); }
uint64_t Elapsed() { return Read(CLOCK_MONOTONIC); }

}  // namespace load

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const char* const file = argc > 3 ? argv[3] : "";
  if (name == "mixed") return load::Mixed(count, file);
  const load::Load* const found = load::Find(name);
  if (!found) {
    std::fprintf(stderr, "prices_load: there is no load '%s'; there are: mixed",
                 argv[1] ? argv[1] : "");
    for (const auto loads : {load::SingleLoads(), load::PairedLoads()}) {
      for (const load::Load& each : loads) std::fprintf(stderr, ", %s", each.name.data());
    }
    std::fputs("\n", stderr);
    return 2;
  }
  // The limit also holds for children.
  alarm(120);
  load::PinToLast();
  const load::Cost cost = found->run({count, file});
  std::printf("%llu %llu %llu\n", static_cast<unsigned long long>(cost.ns),
              static_cast<unsigned long long>(cost.events),
              static_cast<unsigned long long>(cost.units != 0 ? cost.units : count));
  return 0;
}
