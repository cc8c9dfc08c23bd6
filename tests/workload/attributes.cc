// SPDX-License-Identifier: BSD-2-Clause
// Parts in which tasks change their names and scheduling: Renames, HostileNames and Priorities.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "util/unique_fd.h"
#include "workload/child.h"
#include "workload/workload.h"

namespace workload {
namespace {

// Sleeps long enough for several switches under each name or priority.
void BeSwitched() {
  for (int i = 0; i < 3; ++i) SleepMilliseconds(2);
}

std::string CurrentName() {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return name;
}

void RenameSelf(const std::string& name) {
  prctl(PR_SET_NAME, name.c_str());
  printf("renames tid=%ld name=%s\n", syscall(SYS_gettid), CurrentName().c_str());
  BeSwitched();
}

bool RenameThroughProc(pid_t tid, const std::string& name) {
  const std::string path = "/proc/self/task/" + std::to_string(tid) + "/comm";
  util::UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || write(file.get(), name.data(), name.size()) != static_cast<ssize_t>(name.size())) {
    fprintf(stderr, "workload: %s: %s\n", path.c_str(), ErrnoName(errno).c_str());
    return false;
  }
  printf("renames tid=%d name=%s\n", tid, name.c_str());
  return true;
}

// The kernel's struct sched_attr in its first published size: glibc has no such type before 2.41.
struct SchedAttr {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime_ns;
  uint64_t deadline_ns;
  uint64_t period_ns;
};
static_assert(sizeof(SchedAttr) == 48);

constexpr uint32_t kSchedDeadline = 6;

struct Step {
  const char* name;
  uint32_t policy;
  int32_t nice;
  uint32_t priority;
};

constexpr Step kSteps[] = {
    {"nice+5", SCHED_OTHER, 5, 0},    {"nice+19", SCHED_OTHER, 19, 0},
    {"nice-10", SCHED_OTHER, -10, 0}, {"batch", SCHED_BATCH, 0, 0},
    {"idle", SCHED_IDLE, 0, 0},       {"fifo10", SCHED_FIFO, 0, 10},
    {"rr20", SCHED_RR, 0, 20},        {"deadline", kSchedDeadline, 0, 0},
    {"normal", SCHED_OTHER, 0, 0},
};

int RunPrioritySteps() {
  for (const Step& step : kSteps) {
    SchedAttr attr = {};
    attr.size = sizeof(attr);
    attr.policy = step.policy;
    attr.nice = step.nice;
    attr.priority = step.priority;
    if (step.policy == kSchedDeadline) {
      attr.runtime_ns = 1'000'000;
      attr.deadline_ns = attr.period_ns = 10'000'000;
    }
    const int error = syscall(SYS_sched_setattr, 0, &attr, 0) == 0 ? 0 : errno;
    printf("priorities pid=%d step=%s result=%s\n", getpid(), step.name, ErrnoName(error).c_str());
    // The kernel may refuse: no privilege, or no bandwidth for real-time tasks.
    if (error != 0 && error != EPERM && error != EBUSY) return 1;
    BeSwitched();
  }
  return 0;
}

}  // namespace

int Renames() {
  const pid_t child = StartChild("", [] {
    for (const char* name : {"wl-first", "wl-second", "wl-third"}) RenameSelf(name);
    bool renamed = true;
    std::thread second([&] {
      RenameSelf("wl-thread-one");
      renamed = RenameThroughProc(static_cast<pid_t>(syscall(SYS_gettid)), "wl-thread-two");
      BeSwitched();
    });
    second.join();
    RenameSelf("wl-last");
    return renamed ? 0 : 1;
  });
  return WaitForChild(child) ? 0 : 1;
}

int HostileNames() {
  const std::vector<std::string> names = {
      "",                              // nothing at all
      "\xff\xfe\x80",                  // never UTF-8
      "wl-\xc3(",                      // a lead byte without its follower
      "wl\nline",                      // a newline
      "\x1b[31mred\x1b[0m",            // a terminal escape sequence
      "wl-fifteen-byte",               // as long as the kernel allows
      "wl-thirteen-\xc3\xa9\xc3\xa9",  // the kernel cuts the last character in two
      "wl \"quoted\" \\",              // JSON's own characters
      "wl) S 1 (",                     // looks like the end of the name in /proc/PID/stat
      "\xed\xa0\x80\xf4\x90\x80\x80",  // a surrogate, and a code point above U+10FFFF
      "\x01\x7f\t\r",                  // control characters
  };
  bool done = true;
  for (const std::string& name : names) {
    // Empty means "keep the parent's" to StartChild, so the child names itself.
    const pid_t child = StartChild("", [&] {
      prctl(PR_SET_NAME, name.c_str());
      printf("hostile-names pid=%d hex=%s\n", getpid(), Hex(CurrentName()).c_str());
      BeSwitched();
      return 0;
    });
    done = WaitForChild(child) && done;
  }
  return done ? 0 : 1;
}

int Priorities() { return WaitForChild(StartChild("wl-priorities", RunPrioritySteps)) ? 0 : 1; }

}  // namespace workload
