// SPDX-License-Identifier: BSD-2-Clause
// Futexes, file locks and times.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <string>
#include <thread>

#include "truth.h"

namespace truth {
namespace {

// In a page of the program's file.
alignas(4096) int word_of_program[1024] = {1};

// Until a thread waits there.
void Wake(void* word, int command) {
  while (syscall(SYS_futex, word, command, 1, nullptr, nullptr, 0) == 0) Rest();
}

void Mutex(const std::string& kind, pthread_mutex_t& mutex) {
  Contest contest;
  const auto lock = [&] { pthread_mutex_lock(&mutex); };
  const auto unlock = [&] { pthread_mutex_unlock(&mutex); };
  std::atomic<int> owner{0};
  std::thread owns([&] {
    owner = Tid();
    contest.Hold(lock, unlock);
  });
  std::thread([&] {
    const Waits waits = contest.Wait(lock, unlock);
    waits.Print(kind, {"futex", "futex", Hex(&mutex), std::to_string(owner), ""});
  }).join();
  owns.join();
}

void Mutexes() {
  struct Kind {
    const char* name;
    int type;
    bool robust;
    bool inherits;
  };
  for (const Kind& kind : {Kind{"mutex", PTHREAD_MUTEX_NORMAL, false, false},
                           Kind{"mutex recursive", PTHREAD_MUTEX_RECURSIVE, false, false},
                           Kind{"mutex errorcheck", PTHREAD_MUTEX_ERRORCHECK, false, false},
                           Kind{"mutex adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, false, false},
                           Kind{"mutex robust", PTHREAD_MUTEX_NORMAL, true, false},
                           Kind{"mutex PI", PTHREAD_MUTEX_NORMAL, false, true}}) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind.type);
    if (kind.robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (kind.inherits) pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    Mutex(kind.name, mutex);
  }

  // A lock of two processes, in shared memory.
  void* const memory = mmap(nullptr, sizeof(pthread_mutex_t), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) Fail("mmap");
  auto* const mutex = static_cast<pthread_mutex_t*>(memory);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(mutex, &attributes);
  Contest* const contest = SharedContest();
  const auto lock = [&] { pthread_mutex_lock(mutex); };
  const auto unlock = [&] { pthread_mutex_unlock(mutex); };
  const pid_t owner = Check(fork(), "fork");
  if (owner == 0) {
    contest->Hold(lock, unlock);
    _exit(0);
  }
  const Waits waits = contest->Wait(lock, unlock);
  Check(waitpid(owner, nullptr, 0), "waitpid");
  waits.Print("mutex of processes", {"futex", "futex", Hex(mutex), std::to_string(owner), ""});
}

void OtherFutexes() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  bool ready = false;
  Pair pair = Run(
      [&](int) {
        pthread_mutex_lock(&mutex);
        while (!ready) pthread_cond_wait(&condition, &mutex);
        ready = false;
        pthread_mutex_unlock(&mutex);
      },
      [&](int) {
        pthread_mutex_lock(&mutex);
        ready = true;
        pthread_mutex_unlock(&mutex);
        // Without the mutex, so that the waiter does not wait for that one too.
        pthread_cond_signal(&condition);
      });
  pair.waits.Print("condition", {"futex", "futex", Within(&condition, sizeof(condition)), "", ""});

  sem_t semaphore;
  Check(sem_init(&semaphore, 0, 0), "sem_init");
  pair = Run([&](int) { Check(sem_wait(&semaphore), "sem_wait"); },
             [&](int) { Check(sem_post(&semaphore), "sem_post"); });
  pair.waits.Print("semaphore", {"futex", "futex", Within(&semaphore, sizeof(semaphore)), "", ""});

  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  Contest contest;
  const auto unlock = [&] { pthread_rwlock_unlock(&lock); };
  std::thread writer([&] { contest.Hold([&] { pthread_rwlock_wrlock(&lock); }, unlock); });
  std::thread([&] {
    const Waits waits = contest.Wait([&] { pthread_rwlock_rdlock(&lock); }, unlock);
    waits.Print("rwlock", {"futex", "futex", Within(&lock, sizeof(lock)), "", ""});
  }).join();
  writer.join();

  // A time limit that is not reached; the word is in a page of the program's file, so it has a
  // place in that.
  char program[PATH_MAX];
  const auto bytes = readlink("/proc/self/exe", program, sizeof(program));
  if (bytes < 0) Fail("readlink");
  const std::string path(program, static_cast<size_t>(bytes));
  std::string place = "?";
  if (FILE* maps = std::fopen("/proc/self/maps", "r")) {
    char line[PATH_MAX + 128];
    while (std::fgets(line, sizeof(line), maps) != nullptr) {
      unsigned long begin = 0;
      unsigned long end = 0;
      unsigned long offset = 0;
      const auto at = reinterpret_cast<unsigned long>(word_of_program);
      if (std::sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && at >= begin &&
          at < end) {
        char text[PATH_MAX + 32];
        std::snprintf(text, sizeof(text), "%s+0x%lx", path.c_str(), at - begin + offset);
        place = text;
      }
    }
    std::fclose(maps);
  }
  pair = Run(
      [&](int) {
        const timespec limit{9, 0};
        syscall(SYS_futex, word_of_program, FUTEX_WAIT_PRIVATE, 1, &limit, nullptr, 0);
      },
      [&](int) { Wake(word_of_program, FUTEX_WAKE_PRIVATE); });
  pair.waits.Print("futex of the program's file", {"futex", "futex", place, "", "9000000000"});

  const std::string shared = folder + "/shared";
  const int file = Check(open(shared.c_str(), O_CREAT | O_RDWR, 0600), "open");
  Check(ftruncate(file, 8192), "ftruncate");
  auto* const words =
      static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  if (words == MAP_FAILED) Fail("mmap");
  char* const word = words + 4096 + 64;
  pair = Run([&](int) { syscall(SYS_futex, word, FUTEX_WAIT, 0, nullptr, nullptr, 0); },
             [&](int) { Wake(word, FUTEX_WAKE); });
  pair.waits.Print("futex of a mapped file", {"futex", "futex", shared + "+0x1040", "", ""});
}

}  // namespace

void Locks() {
  Mutexes();
  OtherFutexes();
}

void Sleeps() {
  const auto asked = [](size_t i) { return 150'000 + static_cast<long>((i * 7919) % 900'000); };
  const auto run = [&](const std::string& kind, const std::function<void(long)>& sleep,
                       const char* call, const char* thing, long unit = 1) {
    std::thread([&] {
      Waits waits;
      for (int i = 0; i < count; ++i) {
        const long time = asked(static_cast<size_t>(i)) / unit * unit;
        waits.Add([&] { sleep(time); });
      }
      waits.Print(kind, [&](size_t i) {
        return Expected{call, thing, "", "", std::to_string(asked(i) / unit * unit)};
      });
    }).join();
  };
  run(
      "nanosleep",
      [](long ns) {
        const timespec time{0, ns};
        syscall(SYS_nanosleep, &time, nullptr);
      },
      "nanosleep", "sleep");
  run(
      "clock_nanosleep",
      [](long ns) {
        const timespec time{0, ns};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
      },
      "clock_nanosleep", "sleep");
  run(
      "select sleep",
      [](long ns) {
        timeval time{0, ns / 1000};
        select(0, nullptr, nullptr, nullptr, &time);
      },
      "pselect6", "sleep", 1000);
  run(
      "ppoll sleep",
      [](long ns) {
        const timespec time{0, ns};
        ppoll(nullptr, 0, &time, nullptr);
      },
      "ppoll", "sleep");
  const auto at = [](clockid_t clock, long ns) {
    timespec time{};
    clock_gettime(clock, &time);
    time.tv_nsec += ns;
    if (time.tv_nsec >= 1'000'000'000) {
      time.tv_nsec -= 1'000'000'000;
      ++time.tv_sec;
    }
    return time;
  };
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      const timespec time = at(CLOCK_MONOTONIC, kPause);
      waits.Add([&] { clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr); });
    }
    // The remaining time at the begin of the sleep.
    waits.Print("clock_nanosleep until",
                {"clock_nanosleep", "sleep", "", "", "0.." + std::to_string(kPause)});
  }).join();
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      const timespec time = at(CLOCK_REALTIME, kPause);
      waits.Add([&] { clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, nullptr); });
    }
    waits.Print("clock_nanosleep until, wall clock", {"clock_nanosleep", "sleep", "", "", ""});
  }).join();
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) waits.Add([&] { poll(nullptr, 0, 1 + i % 2); });
    waits.Print("poll sleep", [](size_t i) {
      return Expected{"poll", "sleep", "", "", std::to_string((1 + i % 2) * 1'000'000)};
    });
  }).join();
  std::thread([&] {
    const int poller = Check(epoll_create1(0), "epoll_create1");
    Waits waits;
    for (int i = 0; i < count; ++i) {
      epoll_event event{};
      waits.Add([&] { epoll_wait(poller, &event, 1, 1 + i % 2); });
    }
    waits.Print("epoll time limit", [](size_t i) {
      return Expected{"epoll_wait", "epoll", "", "", std::to_string((1 + i % 2) * 1'000'000)};
    });
  }).join();
  std::thread([&] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    Waits waits;
    for (int i = 0; i < count; ++i) {
      const timespec time{0, kPause};
      waits.Add([&] { sigtimedwait(&set, nullptr, &time); });
    }
    waits.Print("sigtimedwait", {"rt_sigtimedwait", "signal", "", "", std::to_string(kPause)});
  }).join();
}

// A process of its own holds the lock.
void FileLocks() {
  for (const int way : {0, 1, 2}) {
    const char* const name = way == 0   ? "flock"
                             : way == 1 ? "fcntl"
                                        : "fcntl, open file description";
    const std::string path = folder + "/lock" + std::to_string(way);
    Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
    const auto act = [&](int fd, bool on) {
      if (way == 0) return Check(flock(fd, on ? LOCK_EX : LOCK_UN), "flock");
      struct flock range {};
      range.l_type = static_cast<short>(on ? F_WRLCK : F_UNLCK);
      range.l_whence = SEEK_SET;
      range.l_start = 100;
      range.l_len = 50;
      return Check(fcntl(fd, way == 1 ? F_SETLKW : F_OFD_SETLKW, &range), "fcntl");
    };
    Contest* const contest = SharedContest();
    const auto open_lock = [&] { return Check(open(path.c_str(), O_RDWR), "open"); };
    const pid_t holder = Check(fork(), "fork");
    if (holder == 0) {
      const int fd = open_lock();
      contest->Hold([&] { act(fd, true); }, [&] { act(fd, false); });
      _exit(0);
    }
    std::thread([&] {
      const int fd = open_lock();
      const Waits waits = contest->Wait([&] { act(fd, true); }, [&] { act(fd, false); });
      waits.Print(name,
                  {way == 0 ? "flock" : "fcntl", "file lock", path, std::to_string(holder), ""});
    }).join();
    Check(waitpid(holder, nullptr, 0), "waitpid");
  }
}

}  // namespace truth
