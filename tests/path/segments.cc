// SPDX-License-Identifier: BSD-2-Clause
// Serves requests of known segments and measures each of them by its own clocks:
//
//   segments REQUESTS FILE
//
// On a busy machine it serves fewer, for a minute. A request is a span "app/request" of the
// provider "segments". Each segment in it is a span of category "segment". For each segment it
// prints a line
//
//   NAME KIND THREAD NS LEAST
//
// with the time that the critical path of the segment has to show, at most and at least: of that
// kind, on threads of that name. CPU time is that of the kernel's clock of the thread, so that the
// figure holds on a busy machine, too. FILE is written and read around the page cache.
#include <fcntl.h>
#include <fxt_provider/event.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

extern "C" const char fxt_provider_name[] = "segments";

namespace {

uint64_t Now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}
uint64_t CpuTime() { return Now(CLOCK_THREAD_CPUTIME_ID); }
uint64_t WallTime() { return Now(CLOCK_MONOTONIC); }

void Require(bool condition, const char* what) {
  if (condition) return;
  std::perror(what);
  std::exit(1);
}

void Spin(uint64_t ns) {
  const uint64_t end = CpuTime() + ns;
  while (CpuTime() < end) {
  }
}

void Name(const char* name) { prctl(PR_SET_NAME, name); }

struct Figure {
  const char* segment;
  const char* kind;
  const char* thread;
  uint64_t ns;
  uint64_t least_ns;
};
std::vector<Figure> figures;
void Report(const char* segment, const char* kind, const char* thread, uint64_t ns,
            uint64_t least_ns) {
  figures.push_back({segment, kind, thread, ns, least_ns});
}
void Report(const char* segment, const char* kind, const char* thread, uint64_t ns) {
  Report(segment, kind, thread, ns, ns);
}

// The calling thread's time on a CPU by perf's clock, which counts what the hypervisor takes from
// the thread meanwhile; the thread's CPU clock does not. 0 where perf events are not allowed.
uint64_t TimeOnCpu() {
  static thread_local const int fd = [] {
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  }();
  uint64_t ns = 0;
  return read(fd, &ns, sizeof(ns)) == sizeof(ns) ? ns : 0;
}

// A wait of the calling thread.
class Wait {
 public:
  // The CPU clock may count idle time before the thread's switch-in: on a virtual machine it had
  // 230 us of a wait for the disk of 300 us, in one of ten waits. So the wait is between the
  // elapsed time with and without what the clocks of the thread say.
  void Report(const char* segment, const char* thread) const {
    const uint64_t elapsed = WallTime() - wall_;
    const uint64_t ran = std::max(CpuTime() - cpu_, TimeOnCpu() - on_cpu_);
    ::Report(segment, "waiting", thread, elapsed, elapsed - std::min(elapsed, ran));
  }

 private:
  uint64_t on_cpu_ = TimeOnCpu();
  uint64_t wall_ = WallTime();
  uint64_t cpu_ = CpuTime();
};

constexpr uint64_t kWork = 400'000;  // ns of CPU time

// CPU time that a thread spent for a call. All of it, which begins before the thread waits for the
// call: after a fork it copies the pages of its stack when it returns from the wait. And that of
// the work alone.
struct Spent {
  std::atomic<uint64_t> all{0};
  std::atomic<uint64_t> work{0};

  void Set(uint64_t before_wait, uint64_t before_work) {
    const uint64_t now = CpuTime();
    all = now - before_wait;
    work = now - before_work;
  }
};

// A thread that serves one call after the other.
class Server {
 public:
  template <typename Serve>
  Server(const char* name, Serve serve) {
    sem_init(&called_, 0, 0);
    std::thread([this, name, serve] {
      Name(name);
      for (;;) {
        const uint64_t before_wait = CpuTime();
        sem_wait(&called_);
        serve(before_wait);
      }
    }).detach();
  }
  void Call() { sem_post(&called_); }

 private:
  sem_t called_;
};

void Compute() {
  TRACE_DURATION("segment", "compute");
  const uint64_t begin = CpuTime();
  Spin(kWork);
  Report("compute", "running", "requester", CpuTime() - begin);
}

void WaitForLock() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static sem_t locked;
  static Spent held;
  static Server* const holder = [] {
    sem_init(&locked, 0, 0);
    return new Server("holder", [](uint64_t before_wait) {
      const uint64_t begin = CpuTime();
      pthread_mutex_lock(&mutex);
      sem_post(&locked);
      Spin(kWork);
      held.Set(before_wait, begin);
      pthread_mutex_unlock(&mutex);
    });
  }();
  TRACE_DURATION("segment", "lock");
  holder->Call();
  sem_wait(&locked);
  pthread_mutex_lock(&mutex);
  const uint64_t ns = held.all;
  const uint64_t least_ns = held.work;
  pthread_mutex_unlock(&mutex);
  Report("lock", "running", "holder", ns, least_ns);
}

void QueueToPool() {
  static sem_t done;
  static Spent worked;
  static Server* const pool = [] {
    sem_init(&done, 0, 0);
    return new Server("pool", [](uint64_t before_wait) {
      const uint64_t begin = CpuTime();
      Spin(kWork);
      worked.Set(before_wait, begin);
      sem_post(&done);
    });
  }();
  TRACE_DURATION("segment", "pool");
  pool->Call();
  sem_wait(&done);
  Report("pool", "running", "pool", worked.all, worked.work);
}

void WriteAndReadDisk(int file) {
  static char* const block = [] {
    void* memory = nullptr;
    Require(posix_memalign(&memory, 4096, 65'536) == 0, "posix_memalign");
    return static_cast<char*>(memory);
  }();
  TRACE_DURATION("segment", "disk");
  const Wait wait;
  Require(pwrite(file, block, 65'536, 0) == 65'536, "pwrite");
  Require(fdatasync(file) == 0, "fdatasync");
  Require(pread(file, block, 65'536, 0) == 65'536, "pread");
  wait.Report("disk", "*");
}

void RunChild() {
  TRACE_DURATION("segment", "child");
  const Wait wait;
  const pid_t child = fork();
  Require(child >= 0, "fork");
  if (child == 0) {
    Name("child");
    Spin(kWork);
    _exit(0);
  }
  int status = 0;
  Require(waitpid(child, &status, 0) == child && status == 0, "waitpid");
  // The child goes on to run after it has woken this thread, so its own clock does not say how long
  // it was waited for.
  wait.Report("child", "child");
}

// Five threads; each one reads from a pipe, works, and writes to the next.
void PassAlongChain() {
  constexpr size_t kLinks = 5;
  static std::array<std::array<int, 2>, kLinks + 1> pipes;
  static std::array<std::atomic<uint64_t>, kLinks> worked;
  static std::array<std::atomic<uint64_t>, kLinks> before_write;
  static const bool started = [] {
    for (auto& one : pipes) Require(pipe2(one.data(), O_CLOEXEC) == 0, "pipe");
    for (size_t i = 0; i < kLinks; ++i) {
      std::thread([i] {
        Name("chain");
        char byte = 0;
        for (;;) {
          // A round with its calls, if the next thread waits for the CPU of this one. On another
          // CPU it runs from the middle of write() on, while this one comes back.
          const uint64_t begin = CpuTime();
          if (read(pipes[i][0], &byte, 1) != 1) return;
          Spin(kWork);
          before_write[i] = CpuTime() - begin;
          if (write(pipes[i + 1][1], &byte, 1) != 1) return;
          worked[i] = CpuTime() - begin;
        }
      }).detach();
    }
    return true;
  }();
  Require(started, "chain");
  TRACE_DURATION("segment", "chain");
  char byte = 1;
  Require(write(pipes[0][1], &byte, 1) == 1, "write");
  Require(read(pipes[kLinks][0], &byte, 1) == 1, "read");
  uint64_t sum = 0;
  uint64_t least = 0;
  for (const auto& one : worked) sum += one;
  for (const auto& one : before_write) least += one;
  Report("chain", "running", "chain", sum, std::min(sum, least));
}

// A service that asks another one.
void AskService() {
  static std::array<int, 2> front;
  static std::array<int, 2> back;
  static Spent worked;
  static const bool started = [] {
    for (auto* pair : {&front, &back}) {
      Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair->data()) == 0, "socketpair");
    }
    std::thread([] {
      Name("front");
      char byte = 0;
      while (read(front[1], &byte, 1) == 1) {
        if (write(back[0], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) return;
        if (write(front[1], &byte, 1) != 1) return;
      }
    }).detach();
    std::thread([] {
      Name("back");
      char byte = 0;
      for (;;) {
        const uint64_t before_wait = CpuTime();
        if (read(back[1], &byte, 1) != 1) return;
        const uint64_t begin = CpuTime();
        Spin(kWork);
        worked.Set(before_wait, begin);
        if (write(back[1], &byte, 1) != 1) return;
      }
    }).detach();
    return true;
  }();
  Require(started, "service");
  TRACE_DURATION("segment", "service");
  char byte = 1;
  Require(write(front[0], &byte, 1) == 1, "write");
  Require(read(front[0], &byte, 1) == 1, "read");
  Report("service", "running", "back", worked.all, worked.work);
}

void Sleep() {
  TRACE_DURATION("segment", "sleep");
  const uint64_t begin = WallTime();
  const uint64_t cpu = CpuTime();
  const timespec time = {.tv_sec = 0, .tv_nsec = 1'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  const uint64_t slept = WallTime() - begin;
  // The time beyond the timer is the wait for a CPU, and the work of the calls.
  Report("sleep", "timer+runnable", "requester", slept, slept - std::min(slept, CpuTime() - cpu));
}

// The hog runs on the only CPU that the request may use.
void CompeteForCpu() {
  constexpr uint64_t kHog = 4'000'000;
  static cpu_set_t all;
  static cpu_set_t one;
  static sem_t runs;
  static Server* const hog = [] {
    sem_init(&runs, 0, 0);
    Require(sched_getaffinity(0, sizeof(all), &all) == 0, "sched_getaffinity");
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    return new Server("hog", [](uint64_t) {
      sched_setaffinity(0, sizeof(one), &one);
      sem_post(&runs);
      Spin(kHog);
    });
  }();
  hog->Call();
  sem_wait(&runs);
  {
    // Moving to the CPU of the hog is a wait as well, and before the clocks.
    Require(sched_setaffinity(0, sizeof(one), &one) == 0, "sched_setaffinity");
    TRACE_DURATION("segment", "contention");
    const uint64_t begin = WallTime();
    const uint64_t cpu = CpuTime();
    Spin(kHog);
    Report("contention", "runnable", "requester", WallTime() - begin - (CpuTime() - cpu));
  }
  sched_setaffinity(0, sizeof(all), &all);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: segments REQUESTS FILE\n");
    return 2;
  }
  Name("requester");
  // A recorder that a busy machine keeps waiting answers late.
  fxt_provider_wait(300'000);
  const int file = open(argv[2], O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
  Require(file >= 0, argv[2]);
  constexpr uint64_t kMostNs = 60'000'000'000;
  const uint64_t begin = WallTime();
  for (int i = 0; i < std::atoi(argv[1]) && WallTime() - begin < kMostNs; ++i) {
    TRACE_DURATION("app", "request", "number", i);
    Compute();
    WaitForLock();
    QueueToPool();
    WriteAndReadDisk(file);
    RunChild();
    PassAlongChain();
    AskService();
    Sleep();
    CompeteForCpu();
  }
  for (const Figure& figure : figures) {
    std::printf("%s %s %s %llu %llu\n", figure.segment, figure.kind, figure.thread,
                static_cast<unsigned long long>(figure.ns),
                static_cast<unsigned long long>(figure.least_ns));
  }
  return 0;
}
