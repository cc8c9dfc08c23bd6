// SPDX-License-Identifier: BSD-2-Clause
// Threads that wait for a lock.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

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

// A ticket lock: threads get it in the order of their arrival, each after a wakeup.
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

// The global lock of an interpreter. Its holder offers it to waiting threads at intervals.
class InterpreterLock {
 public:
  void Take() {
    std::unique_lock lock(mutex_);
    ++asking_;
    free_.wait(lock, [&] { return !held_; });
    --asking_;
    held_ = true;
  }
  void Give() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    ++given_;
    free_.notify_one();
  }
  // Lends the lock to a waiting thread, if there is one, and takes it back afterwards.
  void Switch() {
    std::unique_lock lock(mutex_);
    if (asking_ == 0) return;
    held_ = false;
    free_.notify_one();
    const uint64_t given = given_;
    free_.wait(lock, [&] { return !held_ && given_ != given; });
    held_ = true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool held_ = false;
  int asking_ = 0;
  uint64_t given_ = 0;
};

int CriticalSection(const Options& options) {
  Processes processes;
  processes.Start("bank", [&] {
    Mutex accounts(PTHREAD_PRIO_NONE);
    const auto end = Clock::now() + options.length;
    Threads threads;
    threads.StartMany("teller-", 4, [&](int) {
      while (Clock::now() < end) {
        accounts.WorkUnderIt(microseconds(20));
        Work(microseconds(30));
        Nap(milliseconds(1));
      }
    });
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
        // Random pauses keep the threads from falling into step.
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

int LongerLock(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("cache", [&] {
    std::shared_mutex entries;
    Threads threads;
    threads.StartMany("reader-", 3, [&](int) {
      while (Clock::now() < end) {
        {
          const std::shared_lock lock(entries);
          Work(microseconds(60));
        }
        Nap(microseconds(900));
      }
    });
    threads.Start("evictor", [&] {
      Pace pace(milliseconds(100));
      while (Clock::now() < end) {
        pace.Wait();
        const std::unique_lock lock(entries);
        Nap(milliseconds(options.slow ? 15 : 1));
      }
    });
  });
  return 0;
}

int GcPauses(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("runtime", [&] {
    std::shared_mutex world;
    Threads threads;
    threads.StartMany("mutator-", 3, [&](int) {
      Pace pace(milliseconds(3));
      while (Clock::now() < end) {
        pace.Wait();
        const std::shared_lock lock(world);
        Work(microseconds(250));
      }
    });
    threads.Start("collector", [&] {
      Pace pace(milliseconds(500));
      while (Clock::now() < end) {
        pace.Wait();
        const std::unique_lock lock(world);
        Work(milliseconds(options.slow ? 60 : 2));
      }
    });
  });
  return 0;
}

int ExclusiveReaders(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("router", [&] {
    std::shared_mutex shared;
    std::mutex exclusive;
    Threads threads;
    threads.StartMany("lookup-", 5, [&](int) {
      while (Clock::now() < end) {
        if (options.slow) {
          const std::lock_guard lock(exclusive);
          Nap(microseconds(1500));
        } else {
          const std::shared_lock lock(shared);
          Nap(microseconds(1500));
        }
        Work(microseconds(60));
        Nap(microseconds(2500));
      }
    });
  });
  return 0;
}

int InterpreterSwitches(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("script", [&] {
    InterpreterLock interpreter;
    Threads threads;
    threads.Start("batch", [&] {
      interpreter.Take();
      while (Clock::now() < end) {
        Work(microseconds(options.slow ? 5000 : 200));
        interpreter.Switch();
      }
      interpreter.Give();
    });
    threads.Start("handler", [&] {
      while (Clock::now() < end) {
        Nap(milliseconds(6));
        interpreter.Take();
        Work(microseconds(100));
        interpreter.Give();
      }
    });
  });
  return 0;
}

int NiceHolder(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("archive", [&] {
    std::mutex index;
    Threads threads;
    threads.StartMany("scan-", std::thread::hardware_concurrency(), [&](int) {
      while (Clock::now() < end) Work(microseconds(500));
    });
    threads.Start("audit", [&] {
      if (options.slow) {
        setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 19);
      }
      while (Clock::now() < end) {
        Nap(milliseconds(8));
        const std::lock_guard lock(index);
        Work(microseconds(1000));
      }
    });
    threads.Start("post", [&] {
      while (Clock::now() < end) {
        Nap(milliseconds(3));
        const std::lock_guard lock(index);
        Work(microseconds(30));
      }
    });
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
        // With an unfair lock the same thread mostly gets it again.
        Work(microseconds(5));
        if (i % 20 == 0) Nap(milliseconds(3));
      }
    };
    Threads threads;
    threads.StartMany("coiner-", 3, [&](int) {
      if (options.slow) {
        coin(fair);
      } else {
        coin(usual);
      }
    });
  });
  return 0;
}

// The background thread does the same work in both forms: 5.5 ms of it each 48 ms.
int BackgroundLock(const Options& options) {
  constexpr int kPairs = 4;
  const auto end = Clock::now() + options.length;
  std::deque<Channel> requests(kPairs);
  std::deque<Channel> answers(kPairs);
  Processes processes;
  processes.Start("store", [&] {
    Mutex entries(PTHREAD_PRIO_NONE);
    Threads threads;
    threads.StartMany("worker-", kPairs, [&](int i) {
      Serve(requests[i], answers[i], [&](int) {
        entries.WorkUnderIt(microseconds(30));
        Work(microseconds(40));
      });
    });
    threads.Start("expiry", [&] {
      Pace pace(milliseconds(48));
      while (Clock::now() < end) {
        pace.Wait();
        // In the base form it only looks up under the lock what has expired.
        if (!options.slow) Work(microseconds(5480));
        entries.WorkUnderIt(microseconds(options.slow ? 5500 : 20));
      }
    });
  });
  processes.Start("shopper", [&] {
    Threads threads;
    threads.StartMany("visit-", kPairs, [&](int i) {
      RequestUntil(end, microseconds(1500), requests[i], answers[i]);
    });
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
      threads.StartMany("search-", 4, [&](int) {
        while (Clock::now() < end) {
          pthread_rwlock_rdlock(&lock);
          Nap(milliseconds(2));
          Work(microseconds(50));
          pthread_rwlock_unlock(&lock);
          Nap(milliseconds(1));
        }
      });
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

}  // namespace

std::vector<Scenario> LockScenarios() {
  return {
      {"critical_section", "one thread holds the lock fifteen times as long", CriticalSection},
      {"priority_inversion", "the mutex no longer inherits priorities", PriorityInversion},
      {"longer_lock", "ten times a second a lock is held for 15 ms instead of 1 ms", LongerLock},
      {"gc_pauses", "twice a second all threads wait 60 ms for a collector", GcPauses},
      {"exclusive_readers", "readers hold a mutex instead of a shared lock", ExclusiveReaders},
      {"interpreter_switches", "an interpreter lock is released every 5 ms instead of 0.2 ms",
       InterpreterSwitches},
      {"nice_holder", "the lock holder is nice and competes with busy threads", NiceHolder},
      {"fair_lock", "a lock is granted in order of arrival", FairLock},
      {"background_lock", "a background thread holds the lock for 5.5 ms instead of 0.02 ms",
       BackgroundLock},
      {"starved_writer", "readers pass a waiting writer", StarvedWriter},
  };
}

}  // namespace planted
