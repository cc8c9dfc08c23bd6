// SPDX-License-Identifier: BSD-2-Clause
// Runs a program in a new namespace or in the initial one. unshare of busybox has no time
// namespaces and mounts no /proc for a pid namespace.
//   in_namespace time MONOTONIC_S BOOTTIME_S PROGRAM...  both clocks are ahead by these seconds
//   in_namespace first-time PROGRAM...                   the time namespace of process 1
//   in_namespace pid PROGRAM...                          process 2 of a pid namespace with its
//   /proc
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

// Since Linux 5.6; not in every C library's headers.
constexpr int kNewTime = 0x80;

// The exit status for a failed launch, as of env(1).
constexpr int kFailed = 125;

int Fail(const char* what) {
  fprintf(stderr, "in_namespace: %s: %s\n", what, strerror(errno));
  return kFailed;
}

int Become(char** command) {
  execvp(command[0], command);
  return Fail(command[0]);
}

// Forks and waits for the program, because only children enter the namespaces of unshare(2).
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child < 0) return Fail("fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(body());
  }
  int status = 0;
  // Process 1 of the namespace also reaps orphans.
  for (pid_t ended = 0; ended != child;) {
    ended = wait(&status);
    if (ended < 0 && errno != EINTR) return Fail("wait");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool WriteOffsets(const std::string& monotonic, const std::string& boottime) {
  const int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const std::string text = "monotonic " + monotonic + " 0\nboottime " + boottime + " 0\n";
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  close(file);
  errno = error;
  return written;
}

int InTime(const char* monotonic, const char* boottime, char** command) {
  if (unshare(kNewTime) != 0) return Fail("a time namespace");
  if (!WriteOffsets(monotonic, boottime)) return Fail("offsets of the clocks");
  return InChild([&] { return Become(command); });
}

int InFirstTime(char** command) {
  const int file = open("/proc/1/ns/time", O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, kNewTime) != 0) return Fail("the first time namespace");
  return Become(command);
}

int InPid(char** command) {
  if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) return Fail("a pid namespace");
  return InChild([&] {
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("proc", "/proc", "proc", 0, nullptr) != 0) {
      return Fail("mount /proc");
    }
    return InChild([&] { return Become(command); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind == "time" && argc > 4) return InTime(argv[2], argv[3], argv + 4);
  if (kind == "first-time" && argc > 2) return InFirstTime(argv + 2);
  if (kind == "pid" && argc > 2) return InPid(argv + 2);
  fprintf(stderr,
          "usage: in_namespace time MONOTONIC_S BOOTTIME_S PROGRAM...\n"
          "       in_namespace first-time PROGRAM...\n"
          "       in_namespace pid PROGRAM...\n");
  return kFailed;
}
