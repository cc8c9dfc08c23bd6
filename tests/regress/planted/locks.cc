// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of threads that wait for a lock.
#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

class Mutex {
 public:
  explicit Mutex(int protocol) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() { pthread_mutex_destroy(&mutex_); }
  void WorkUnderIt(microseconds about) {
    pthread_mutex_lock(&mutex_);
    Work(about);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_;
};

// Who came first gets it first, and has to be awake for it.
class FifoLock {
 public:
  void lock() {
    std::unique_lock<std::mutex> guard(mutex_);
    const uint64_t ticket = next_++;
    turn_.wait(guard, [&] { return served_ == ticket; });
  }
  void unlock() {
    const std::lock_guard<std::mutex> guard(mutex_);
    ++served_;
    turn_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable turn_;
  uint64_t next_ = 0;
  uint64_t served_ = 0;
};

}  // namespace

int CriticalSection(const Options& options) {
  Processes processes;
  processes.Start("bank", [&] {
    Mutex accounts(PTHREAD_PRIO_NONE);
    const auto end = Clock::now() + options.length;
    Threads threads;
    for (int i = 0; i < 4; ++i) {
      threads.Start("teller-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          accounts.WorkUnderIt(microseconds(20));
          Work(microseconds(30));
          Nap(milliseconds(1));
        }
      });
    }
    threads.Start("auditor", [&] {
      Pace pace(milliseconds(8));
      while (Clock::now() < end) {
        pace.Wait();
        accounts.WorkUnderIt(microseconds(options.slow ? 1500 : 100));
      }
    });
  });
  return 0;
}

int PriorityInversion(const Options& options) {
  Processes processes;
  processes.Start("control", [&] {
    PinToLastCpu();
    Mutex state(options.slow ? PTHREAD_PRIO_NONE : PTHREAD_PRIO_INHERIT);
    const auto end = Clock::now() + options.length;
    Threads threads;
    const auto start = [&](const char* name, int priority, microseconds pause, auto body) {
      threads.Start(name, [priority, pause, body, end] {
        if (!MakeRealTime(priority)) return;
        // Without chance they fall into step with each other.
        std::minstd_rand dice(priority);
        std::uniform_int_distribution<int64_t> part(pause.count() / 2, pause.count());
        while (Clock::now() < end) {
          Nap(microseconds(part(dice)));
          body();
        }
      });
    };
    start("actuator", 60, microseconds(1200), [&] { state.WorkUnderIt(microseconds(30)); });
    start("vision", 30, microseconds(6000), [] { Work(milliseconds(6)); });
    start("logger", 10, microseconds(1200), [&] { state.WorkUnderIt(microseconds(1500)); });
  });
  return 0;
}

int FairLock(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("mint", [&] {
    std::mutex usual;
    FifoLock fair;
    const auto coin = [&](auto& lock) {
      for (int i = 0; Clock::now() < end; ++i) {
        {
          const std::lock_guard guard(lock);
          Work(microseconds(20));
        }
        // Who asks again at once mostly gets it again, but for the fair lock.
        Work(microseconds(5));
        if (i % 20 == 0) Nap(milliseconds(3));
      }
    };
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("coiner-" + std::to_string(i), [&] {
        if (options.slow) {
          coin(fair);
        } else {
          coin(usual);
        }
      });
    }
  });
  return 0;
}

int StarvedWriter(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("index", [&] {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, options.slow
                                                   ? PTHREAD_RWLOCK_PREFER_READER_NP
                                                   : PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, &attributes);
    {
      Threads threads;
      for (int i = 0; i < 4; ++i) {
        threads.Start("search-" + std::to_string(i), [&] {
          while (Clock::now() < end) {
            pthread_rwlock_rdlock(&lock);
            Nap(milliseconds(2));
            Work(microseconds(50));
            pthread_rwlock_unlock(&lock);
            Nap(milliseconds(1));
          }
        });
      }
      threads.Start("update", [&] {
        Pace pace(milliseconds(10));
        while (Clock::now() < end) {
          pace.Wait();
          pthread_rwlock_wrlock(&lock);
          Work(microseconds(100));
          pthread_rwlock_unlock(&lock);
        }
      });
    }
    pthread_rwlock_destroy(&lock);
    pthread_rwlockattr_destroy(&attributes);
  });
  return 0;
}

int GroupCommit(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("ledger", [&] {
    std::mutex mutex;
    std::condition_variable written;
    uint64_t commits = 0;
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("entry-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          Nap(milliseconds(3));
          Work(microseconds(50));
          std::unique_lock<std::mutex> lock(mutex);
          const uint64_t before = commits;
          written.wait(lock, [&] { return commits > before; });
        }
      });
    }
    threads.Start("commit", [&] {
      Pace pace(milliseconds(options.slow ? 14 : 2));
      while (Clock::now() < end + milliseconds(50)) {
        pace.Wait();
        Work(microseconds(30));
        const std::lock_guard<std::mutex> lock(mutex);
        ++commits;
        written.notify_all();
      }
    });
  });
  return 0;
}

}  // namespace planted
