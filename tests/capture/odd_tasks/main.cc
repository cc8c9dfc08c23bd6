// SPDX-License-Identifier: BSD-2-Clause
// Tasks that are difficult for a tracer. Each part prints its results as key=value words.
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "births.h"
#include "family.h"

namespace {

void BeSwitched(int times) {
  for (int i = 0; i < times; ++i) usleep(500);
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

[[noreturn]] void ExecuteNothing() {
  execl("/proc/self/exe", "odd_tasks", "nothing", static_cast<char*>(nullptr));
  _exit(1);
}

// A thread that is not the leader calls exec: it takes the id of the leader, and its own becomes
// free.
int ExecFromThread(int times) {
  for (int i = 0; i < times; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_NAME, "odd-leader");
      std::thread([] {
        prctl(PR_SET_NAME, "odd-second");
        BeSwitched(2);
        ExecuteNothing();
      }).detach();
      for (;;) BeSwitched(1);
    }
    if (WaitFor(pid) != 0) return 1;
    printf("exec-from-thread pid=%d\n", pid);
  }
  return 0;
}

// The parent of a vfork sleeps uninterruptibly until the child calls exec.
int Vfork(int times) {
  char program[] = "odd_tasks", part[] = "nothing";
  char* arguments[] = {program, part, nullptr};
  for (int i = 0; i < times; ++i) {
    pid_t pid = 0;
    // clone(CLONE_VM | CLONE_VFORK) in glibc.
    if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0 ||
        WaitFor(pid) != 0) {
      return 1;
    }
  }
  printf("vfork times=%d\n", times);
  return 0;
}

// A traced child stops at each of its system calls (state t).
int Ptrace(int times) {
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_NAME, "odd-traced");
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
    raise(SIGSTOP);
    for (int i = 0; i < times; ++i) syscall(SYS_getppid);
    _exit(0);
  }
  int stops = 0, status = 0;
  while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
    ++stops;
    if (ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr) != 0) break;
  }
  printf("ptrace pid=%d stops=%d\n", pid, stops);
  return WIFEXITED(status) && stops > times ? 0 : 1;
}

// Another thread changes the name of a thread that runs and sleeps.
int RenameByOther(int times) {
  std::atomic<bool> done = false;
  std::atomic<int> tid = 0;
  std::thread target([&] {
    tid = static_cast<int>(syscall(SYS_gettid));
    while (!done) usleep(50);
  });
  while (tid == 0) usleep(100);
  const std::string path = "/proc/self/task/" + std::to_string(tid) + "/comm";
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  bool written = fd >= 0;
  for (int i = 0; written && i < times; ++i) {
    const std::string name = "odd-name-" + std::to_string(i);
    written = write(fd, name.data(), name.size()) == static_cast<ssize_t>(name.size());
    usleep(100);
  }
  close(fd);
  done = true;
  target.join();
  printf("other-rename tid=%d times=%d\n", tid.load(), times);
  return written ? 0 : 1;
}

// Processes reuse one process id, each with its own name.
// clone3 with a chosen id needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN, and Linux 5.5.
int ReuseTid(int times) {
  const pid_t first = fork();
  if (first == 0) _exit(0);
  WaitFor(first);
  // Far from the ids that the kernel assigns now.
  pid_t wanted = first > 5000 ? first - 3000 : first + 3000;
  int reused = 0, collisions = 0;
  for (int i = 0; i < times && collisions < 100;) {
    const std::string name = "odd-reuse-" + std::to_string(i);
    pid_t set[1] = {wanted};
    clone_args args{};
    args.exit_signal = SIGCHLD;
    args.set_tid = reinterpret_cast<uintptr_t>(set);
    args.set_tid_size = 1;
    const long pid = syscall(SYS_clone3, &args, sizeof(args));
    if (pid == 0) {
      prctl(PR_SET_NAME, name.c_str());
      BeSwitched(3);
      _exit(0);
    }
    if (pid < 0 && errno == EEXIST) {
      ++collisions;
      ++wanted;
      reused = 0;
      continue;
    }
    if (pid < 0) {
      printf("reuse-tid error=%s\n", strerror(errno));
      return 77;
    }
    if (WaitFor(static_cast<pid_t>(pid)) != 0) return 1;
    ++reused;
    ++i;
  }
  printf("reuse-tid pid=%d times=%d\n", wanted, reused);
  return reused > 1 ? 0 : 1;
}

// A process with an id far above the current ones. Its second thread has a lower id, as after a
// wraparound.
int LowTid(int times) {
  std::ifstream limit("/proc/sys/kernel/pid_max");
  pid_t wanted = 0;
  limit >> wanted;
  long pid = -1;
  for (int collisions = 0; pid < 0 && collisions < 100; ++collisions) {
    --wanted;
    pid_t set[1] = {wanted};
    clone_args args{};
    args.exit_signal = SIGCHLD;
    args.set_tid = reinterpret_cast<uintptr_t>(set);
    args.set_tid_size = 1;
    pid = syscall(SYS_clone3, &args, sizeof(args));
    if (pid < 0 && errno != EEXIST) break;
  }
  if (pid < 0) {
    printf("low-tid error=%s\n", strerror(errno));
    return 77;
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "odd-high-leader");
    std::thread([times] {
      prctl(PR_SET_NAME, "odd-low-thread");
      fprintf(stderr, "low-tid pid=%d tid=%ld\n", getpid(), syscall(SYS_gettid));
      BeSwitched(times);
    }).join();
    _exit(0);
  }
  return WaitFor(static_cast<pid_t>(pid));
}

// Becomes another user on the first SIGUSR1 and ends on the second.
int BecomeUser(int uid) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  fprintf(stderr, "ready\n");
  int signal = 0;
  sigwait(&set, &signal);
  if (setuid(static_cast<uid_t>(uid)) != 0) return 1;
  fprintf(stderr, "become uid=%u\n", getuid());
  sigwait(&set, &signal);
  return 0;
}

// Moves itself from CPU to CPU.
int Migrate(int times) {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  int moved = 0;
  for (int i = 0; i < times; ++i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(i % cpus), &set);
    moved += sched_setaffinity(0, sizeof(set), &set) == 0;
    if (i % 16 == 0) usleep(100);
  }
  printf("migrate moved=%d\n", moved);
  return moved > 0 ? 0 : 1;
}

// All threads are alive at once; each sleeps and wakes `times` times.
int BusyThreads(int count, int times, int sleep_us) {
  std::vector<std::thread> threads;
  std::latch all_alive(count);
  threads.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      all_alive.arrive_and_wait();
      for (int n = 0; n < times; ++n) usleep(static_cast<useconds_t>(sleep_us));
    });
  }
  for (std::thread& thread : threads) thread.join();
  printf("busy-threads count=%d times=%d\n", count, times);
  return 0;
}

// Returns the nearest ancestor with this name, or 0.
pid_t AncestorNamed(const std::string& name) {
  for (pid_t pid = getppid(); pid > 1;) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t begin = text.find('('), end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos) return 0;
    if (text.substr(begin + 1, end - begin - 1) == name) return pid;
    pid = atoi(text.c_str() + end + 4);  // ") S PPID"
  }
  return 0;
}

// All CPUs switch at the highest rate for this many milliseconds. Meanwhile the ancestor with the
// name `hold`, if any, is stopped for a while.
int Storm(int milliseconds, const std::string& hold) {
  // A real-time priority keeps other load from the CPU when a task yields.
  setpriority(PRIO_PROCESS, 0, -20);
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  std::vector<pid_t> pids;
  for (long cpu = 0; cpu < cpus; ++cpu) {
    const pid_t pid = fork();
    if (pid != 0) {
      pids.push_back(pid);
      continue;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(cpu), &set);
    sched_setaffinity(0, sizeof(set), &set);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::atomic<bool> done = false;
    std::thread other([&] {
      while (!done) sched_yield();
    });
    timespec begin{}, now{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
      for (int i = 0; i < 100; ++i) sched_yield();
      clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000 <
             milliseconds);
    done = true;
    other.join();
    _exit(0);
  }
  if (const pid_t held = hold.empty() ? 0 : AncestorNamed(hold); held != 0) {
    usleep(static_cast<useconds_t>(milliseconds) * 250);
    kill(held, SIGSTOP);
    usleep(static_cast<useconds_t>(milliseconds) * 250);
    kill(held, SIGCONT);
  }
  int status = 0;
  for (const pid_t pid : pids) status |= WaitFor(pid);
  printf("storm milliseconds=%d\n", milliseconds);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Tasks that do what a tracer easily gets wrong."};
  app.require_subcommand(1);
  int times = 20, count = 100, sleep_us = 200;
  const auto part = [&](const char* name, const char* what) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->add_option("--times", times)->capture_default_str();
    return sub;
  };
  CLI::App* exec_from_thread = part("exec-from-thread", "a thread beside the leader executes");
  CLI::App* vfork = part("vfork", "vfork and exec");
  CLI::App* ptrace = part("ptrace", "a traced child that stops");
  CLI::App* other_rename = part("other-rename", "a thread is renamed by another");
  CLI::App* reuse_tid = part("reuse-tid", "a task id is used again and again");
  CLI::App* low_tid = part("low-tid", "a thread whose id is lower than its leader's");
  CLI::App* become_user = app.add_subcommand("become-user", "setuid when SIGUSR1 comes");
  int uid = 12345;
  become_user->add_option("--uid", uid)->capture_default_str();
  CLI::App* migrate = part("migrate", "from CPU to CPU");
  CLI::App* busy_threads = part("busy-threads", "many threads that all sleep and wake");
  busy_threads->add_option("--count", count)->capture_default_str();
  busy_threads->add_option("--sleep-us", sleep_us)->capture_default_str();
  CLI::App* storm = part("storm", "every CPU switches as fast as it can, for `times` milliseconds");
  std::string hold;
  storm->add_option("--hold", hold,
                    "stop the nearest ancestor of this name for a quarter of the time");
  CLI::App* births = part("births", "tasks come and go on every CPU, for `times` milliseconds");
  CLI::App* family = app.add_subcommand("family", "a process makes others, and those others");
  bool stopped = false;
  family->add_flag("--stopped", stopped, "it stops first");
  app.add_subcommand("nothing", "exits");
  CLI11_PARSE(app, argc, argv);
  alarm(120);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (*exec_from_thread) return ExecFromThread(times);
  if (*vfork) return Vfork(times);
  if (*ptrace) return Ptrace(times);
  if (*other_rename) return RenameByOther(times);
  if (*reuse_tid) return ReuseTid(times);
  if (*low_tid) return LowTid(times);
  if (*become_user) return BecomeUser(uid);
  if (*migrate) return Migrate(times);
  if (*busy_threads) return BusyThreads(count, times, sleep_us);
  if (*storm) return Storm(times, hold);
  if (*births) return Births(times);
  if (*family) return Family(stopped);
  return 0;
}
