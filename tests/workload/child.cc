// SPDX-License-Identifier: BSD-2-Clause
#include "workload/child.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace workload {
namespace {

// Read by StartChild in children; written once before the first of them.
unsigned time_limit_seconds = 280;

}  // namespace

void SetTimeLimit(unsigned seconds) {
  time_limit_seconds = seconds;
  alarm(seconds);
}

pid_t StartChild(const std::string& name, const std::function<int()>& body) {
  // A child would print the inherited buffer again.
  fflush(stdout);
  const pid_t parent = getpid();
  pid_t child = fork();
  // With a small pid_max, fork fails until other processes are reaped.
  for (int attempt = 0; child < 0 && errno == EAGAIN && attempt < 200; ++attempt) {
    SleepMilliseconds(5);
    child = fork();
  }
  if (child < 0) {
    fprintf(stderr, "workload: fork: %s\n", strerror(errno));
    exit(1);
  }
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  alarm(time_limit_seconds);
  if (!name.empty()) prctl(PR_SET_NAME, name.c_str());
  const int status = body();
  fflush(stdout);
  _exit(status);
}

bool WaitForChild(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof(set), &set) == 0) return true;
  fprintf(stderr, "workload: cannot run on CPU %d: %s\n", cpu, strerror(errno));
  return false;
}

void SleepMilliseconds(unsigned milliseconds) {
  timespec left = {static_cast<time_t>(milliseconds / 1000), (milliseconds % 1000) * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

std::string ErrnoName(int error) {
  if (error == 0) return "ok";
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : std::to_string(error);
}

std::string Hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace workload
