// SPDX-License-Identifier: BSD-2-Clause
// Threads that are runnable and do not run, for a reason that the program makes. A line for each,
// with tabs between: "limit", the reason, the id of the thread, how long it did not run (ns), the
// cgroup.
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "truth.h"

namespace truth {
namespace {

constexpr uint64_t kRun = 3'000'000'000;  // ns, of each thread

std::string root;  // a mounted cgroup 2

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

void Burn(uint64_t ns) {
  for (const uint64_t until = Now() + ns; Now() < until;) {
  }
}

// CPU time of this thread, ns.
uint64_t CpuTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// A group below `root`, with the thread's controllers enabled above it.
void MakeGroup(const std::string& name) {
  const std::string path = root + name;
  const std::string above = path.substr(0, path.rfind('/'));
  Write(above + "/cgroup.subtree_control", "+cpu");
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) Fail("mkdir of a group");
}

pid_t Start(const std::function<void()>& run, const std::string& group = "") {
  std::fflush(stdout);
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    if (!group.empty() && !Write(root + group + "/cgroup.procs", std::to_string(getpid())))
      Fail("cgroup.procs");
    run();
    std::fflush(stdout);
    _exit(0);
  }
  return child;
}

void End(pid_t child, bool kills = false) {
  if (kills) kill(child, SIGKILL);
  Check(waitpid(child, nullptr, 0), "waitpid");
}

uint64_t Statistic(const std::string& group, const std::string& name) {
  std::ifstream file(root + group + "/cpu.stat");
  std::string key;
  uint64_t value = 0;
  while (file >> key >> value) {
    if (key == name) return value;
  }
  return 0;
}

// Waits until the settings of this thread and its rivals are in the recording: on an emulated CPU
// that takes the recorder seconds.
void Settle() {
  const char* const seconds = std::getenv("WAITING_SETTLE_SECONDS");
  if (seconds != nullptr) sleep(static_cast<unsigned>(std::atoi(seconds)));
}

void Print(const char* reason, int tid, uint64_t ns, const std::string& group) {
  std::printf("limit\t%s\t%d\t%llu\t%s\n", reason, tid, static_cast<unsigned long long>(ns),
              group.c_str());
}

void BurnAndPrint(const char* reason, const std::string& group) {
  Settle();
  // A loop does not run but while it waits for a CPU.
  const uint64_t begin = Now();
  const uint64_t ran = CpuTime();
  Burn(kRun);
  Print(reason, Tid(), Now() - begin - (CpuTime() - ran), group);
}

void Quotas() {
  MakeGroup("/outer");
  MakeGroup("/outer/inner");
  for (const std::string limited : {"/outer/inner", "/outer"}) {
    if (!Write(root + limited + "/cpu.max", "30000 100000")) {
      Skip("throttled", "no cpu.max");
      return;
    }
    const uint64_t before = Statistic(limited, "throttled_usec");
    const pid_t child = Start([] { Burn(kRun); }, "/outer/inner");
    End(child);
    Print(limited == "/outer" ? "throttled up the tree" : "throttled", child,
          (Statistic(limited, "throttled_usec") - before) * 1000, limited);
    Write(root + limited + "/cpu.max", "max 100000");
  }
}

void Affinity() {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
    Skip("affinity", "one CPU");
    return;
  }
  // Two threads may use the first CPU alone, and the others are idle.
  const pid_t rival = Start([] {
    Pin(0);
    for (;;) Burn(kRun);
  });
  End(Start([] {
    Pin(0);
    BurnAndPrint("affinity", "");
  }));
  End(rival, true);
}

void Weights() {
  MakeGroup("/heavy");
  MakeGroup("/light");
  if (!Write(root + "/heavy/cpu.weight", "1000") || !Write(root + "/light/cpu.weight", "100")) {
    Skip("weight", "no cpu.weight");
    return;
  }
  std::vector<pid_t> rivals;
  for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    rivals.push_back(Start(
        [] {
          for (;;) Burn(kRun);
        },
        "/heavy"));
  }
  End(Start([] { BurnAndPrint("weight", "/light"); }, "/light"));
  for (const pid_t rival : rivals) End(rival, true);

  rivals.clear();
  for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu)
    rivals.push_back(Start([] {
      for (;;) Burn(kRun);
    }));
  End(Start([] {
    setpriority(PRIO_PROCESS, 0, 15);
    BurnAndPrint("weight by nice", "");
  }));
  for (const pid_t rival : rivals) End(rival, true);
}

// Only the limit keeps the thread from its CPU.
void RealTime() {
  const pid_t rival = Start([] {
    Pin(0);
    for (;;) Burn(kRun);
  });
  End(Start([] {
    Pin(0);
    sched_param priority{};
    priority.sched_priority = 50;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
      Skip("real-time throttling", std::strerror(errno));
      return;
    }
    BurnAndPrint("real-time throttling", "");
  }));
  End(rival, true);
}

}  // namespace

void Limits(const std::string& mount) {
  root = mount;
  Quotas();
  Affinity();
  Weights();
  RealTime();
}

}  // namespace truth
