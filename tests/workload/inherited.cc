// SPDX-License-Identifier: BSD-2-Clause
// Prints the attributes that a program inherits, one per line. Programs with the same start print
// the same.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "workload/workload.h"

namespace workload {
namespace {

// The kernel's struct sched_attr in its first published size: glibc has no such type before 2.41.
struct SchedAttr {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

void PrintScheduling() {
  SchedAttr attr = {};
  syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0);
  printf("policy %u\nreset_on_fork %d\nnice %d\npriority %u\n", attr.policy, (attr.flags & 1) != 0,
         attr.nice, attr.priority);
  // timer_slack in /proc is only for other processes.
  printf("timer_slack %d\n", prctl(PR_GET_TIMERSLACK));
  printf("io_priority %#lx\n", syscall(SYS_ioprio_get, 1, 0));
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof(cpus), &cpus);
  printf("affinity");
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) printf(" %d", cpu);
  }
  printf("\n");
}

void PrintLimits() {
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    rlimit limit = {};
    getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    printf("rlimit %d %llu %llu\n", resource, static_cast<unsigned long long>(limit.rlim_cur),
           static_cast<unsigned long long>(limit.rlim_max));
  }
}

void PrintStatus() {
  constexpr std::array kWanted = {"Umask",   "Uid",         "Gid",    "Groups", "SigPnd",
                                  "ShdPnd",  "SigBlk",      "SigIgn", "SigCgt", "CapInh",
                                  "CapPrm",  "CapEff",      "CapBnd", "CapAmb", "NoNewPrivs",
                                  "Seccomp", "Mems_allowed"};
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    for (const char* wanted : kWanted) {
      if (line.starts_with(std::string(wanted) + ":")) printf("%s\n", line.c_str());
    }
  }
}

void PrintFile(const char* path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) printf("%s %s\n", path, line.c_str());
}

void PrintDescriptors() {
  DIR* directory = opendir("/proc/self/fd");
  std::vector<std::string> lines;
  while (const dirent* entry = readdir(directory)) {
    const int fd = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd == dirfd(directory)) continue;
    char target[4096];
    const ssize_t length = readlinkat(dirfd(directory), entry->d_name, target, sizeof(target));
    lines.push_back("descriptor " + std::to_string(fd) + " flags " +
                    std::to_string(fcntl(fd, F_GETFL)) + " " +
                    std::string(target, static_cast<size_t>(std::max<ssize_t>(length, 0))));
  }
  closedir(directory);
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) printf("%s\n", line.c_str());
}

}  // namespace

int Inherited() {
  PrintScheduling();
  PrintLimits();
  PrintStatus();
  PrintFile("/proc/self/oom_score_adj");
  PrintFile("/proc/self/cgroup");
  PrintFile("/proc/self/coredump_filter");
  PrintDescriptors();
  int death_signal = 0;
  prctl(PR_GET_PDEATHSIG, &death_signal);
  printf("death_signal %d\ndumpable %d\n", death_signal, prctl(PR_GET_DUMPABLE));
  printf("process_group %d\nsession %d\nforeground %d\n", getpgrp(), getsid(0),
         tcgetpgrp(STDIN_FILENO));
  char folder[4096];
  printf("working_directory %s\n", getcwd(folder, sizeof(folder)));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    printf("environment %s\n", *variable);
  }
  return 0;
}

}  // namespace workload
