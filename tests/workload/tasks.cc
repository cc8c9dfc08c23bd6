// SPDX-License-Identifier: BSD-2-Clause
// Parts in which tasks start, end and stop: ForkStorm, Threads and StopContinue.
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "workload/child.h"
#include "workload/workload.h"

namespace workload {
namespace {

int ExecuteNothing() {
  char program[] = "workload";
  char part[] = "nothing";
  char* arguments[] = {program, part, nullptr};
  char* environment[] = {nullptr};
  execve("/proc/self/exe", arguments, environment);
  return 1;
}

// The state that the threads of Threads share.
struct Gate {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  bool open = false;
};

void* WaitAtGate(void* argument) {
  Gate* gate = static_cast<Gate*>(argument);
  prctl(PR_SET_NAME, "wl-thread");
  pthread_mutex_lock(&gate->mutex);
  while (!gate->open) pthread_cond_wait(&gate->changed, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
  return nullptr;
}

}  // namespace

int ForkStorm(const ForkStormOptions& options) {
  std::map<pid_t, uint32_t> seen;
  uint32_t started = 0, finished = 0, alive = 0, failed = 0;
  while (finished < options.count) {
    if (started < options.count && alive < std::max(options.parallel, 1U)) {
      const pid_t child =
          StartChild("wl-fork", [&] { return options.exec ? ExecuteNothing() : 0; });
      ++seen[child];
      ++started;
      ++alive;
      continue;
    }
    int status = 0;
    if (waitpid(-1, &status, 0) < 0) {
      if (errno == EINTR) continue;
      perror("workload: waitpid");
      return 1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++failed;
    ++finished;
    --alive;
  }
  const auto reused =
      std::count_if(seen.begin(), seen.end(), [](const auto& entry) { return entry.second > 1; });
  printf("forkstorm count=%u failed=%u reused_pids=%ld\n", finished, failed,
         static_cast<long>(reused));
  return failed == 0 ? 0 : 1;
}

int Threads(uint32_t count) {
  Gate gate;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max<size_t>(PTHREAD_STACK_MIN, 32 * 1024));
  std::vector<pthread_t> threads;
  int error = 0;
  for (uint32_t i = 0; i < count && error == 0; ++i) {
    pthread_t thread;
    error = pthread_create(&thread, &attributes, WaitAtGate, &gate);
    if (error == 0) threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  pthread_mutex_lock(&gate.mutex);
  gate.open = true;
  pthread_cond_broadcast(&gate.changed);
  pthread_mutex_unlock(&gate.mutex);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  printf("threads pid=%d count=%zu result=%s\n", getpid(), threads.size(),
         ErrnoName(error).c_str());
  return error == 0 ? 0 : 1;
}

int StopContinue() {
  constexpr int kTimes = 3;
  const pid_t child = StartChild("wl-stopped", [] {
    while (true) SleepMilliseconds(1);
    return 0;
  });
  int done = 0;
  for (; done < kTimes; ++done) {
    SleepMilliseconds(10);
    int status = 0;
    if (kill(child, SIGSTOP) != 0 || waitpid(child, &status, WUNTRACED) != child) break;
    SleepMilliseconds(20);
    if (kill(child, SIGCONT) != 0 || waitpid(child, &status, WCONTINUED) != child) break;
  }
  SleepMilliseconds(10);
  kill(child, SIGKILL);
  WaitForChild(child);
  printf("stopcont pid=%d times=%d\n", child, done);
  return done == kTimes ? 0 : 1;
}

}  // namespace workload
