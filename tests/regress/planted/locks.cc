// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of threads that wait for a mutex.
#include <pthread.h>

#include <cstdint>
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

}  // namespace planted
