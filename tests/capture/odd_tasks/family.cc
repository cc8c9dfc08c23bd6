// SPDX-License-Identifier: BSD-2-Clause
#include "family.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace {

void Live(const char* name) {
  prctl(PR_SET_NAME, name);
  printf("name=%s tid=%ld\n", name, syscall(SYS_gettid));
  for (int i = 0; i < 5; ++i) usleep(500);
}

int WaitFor(pid_t pid) {
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int Grandchild() {
  Live("odd-grand");
  char program[] = "odd_tasks", part[] = "nothing";
  char* arguments[] = {program, part, nullptr};
  pid_t pid = 0;
  // clone(CLONE_VM | CLONE_VFORK) in glibc.
  if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0) return 1;
  printf("name=exe tid=%d\n", pid);
  return WaitFor(pid);
}

int Child() {
  Live("odd-child");
  std::thread([] { Live("odd-thread"); }).join();
  const pid_t pid = fork();
  if (pid == 0) _exit(Grandchild());
  return WaitFor(pid);
}

}  // namespace

int Family(bool stopped) {
  prctl(PR_SET_NAME, "odd-parent");
  if (stopped) raise(SIGSTOP);
  Live("odd-parent");
  const pid_t pid = fork();
  if (pid == 0) _exit(Child());
  return WaitFor(pid);
}
