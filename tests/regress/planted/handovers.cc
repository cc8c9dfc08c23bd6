// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of threads that wait for what others hand over: an interpreter's lock, a notification,
// a place in a queue, an answer.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// The lock of an interpreter: who holds it gives it away after an interval when somebody asked.
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
  // Gives it to one who asks, and takes it back when that one is done.
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

// A queue between threads that holds so many items at most.
class Queue {
 public:
  explicit Queue(size_t most) : most_(most) {}
  void Put(int item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < most_ || shut_; });
    items_.push_back(item);
    changed_.notify_all();
  }
  bool Take(int* item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || shut_; });
    if (items_.empty()) return false;
    *item = items_.front();
    items_.pop_front();
    changed_.notify_all();
    return true;
  }
  void Shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    changed_.notify_all();
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> items_;
  bool shut_ = false;
};

}  // namespace

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

int LostWakeup(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("mailroom", [&] {
    std::mutex mutex;
    std::condition_variable put;
    std::condition_variable taken;
    int letters = 0;
    bool over = false;
    Threads threads;
    threads.Start("carrier", [&] {
      std::unique_lock lock(mutex);
      while (!over) {
        // Looks by itself now and then, for a notification may be lost.
        if (letters == 0) put.wait_for(lock, milliseconds(30));
        if (letters == 0) continue;
        Work(microseconds(80));
        letters = 0;
        taken.notify_one();
      }
    });
    threads.Start("sorter", [&] {
      int number = 0;
      while (Clock::now() < end) {
        Nap(milliseconds(3));
        std::unique_lock lock(mutex);
        letters = 1;
        if (!options.slow || ++number % 40 != 0) put.notify_one();
        taken.wait(lock, [&] { return letters == 0; });
      }
      const std::lock_guard lock(mutex);
      over = true;
      put.notify_one();
    });
  });
  return 0;
}

int ShorterQueue(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("press", [&] {
    Queue sheets(options.slow ? 2 : 64);
    Threads threads;
    threads.Start("feeder", [&] {
      while (Clock::now() < end) {
        Nap(milliseconds(1));
        sheets.Put(0);
      }
      sheets.Shut();
    });
    threads.Start("printer", [&] {
      int sheet = 0;
      int count = 0;
      while (sheets.Take(&sheet)) {
        Work(microseconds(60));
        // A stack is full and is put away.
        if (++count % 12 == 0) Nap(milliseconds(10));
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
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      threads.Start("scan-" + std::to_string(i), [&] {
        while (Clock::now() < end) Work(microseconds(500));
      });
    }
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

int SyncedLog(const Options& options) {
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("portal", [&] {
    Queue lines(4);
    Threads all;
    all.Start("log-writer", [&] {
      const std::string line(200, 'x');
      int item = 0;
      while (lines.Take(&item)) {
        if (write(file.descriptor(), line.data(), line.size()) < 0) return;
        if (options.slow) fdatasync(file.descriptor());
      }
    });
    {
      Threads threads;
      for (int i = 0; i < 3; ++i) {
        threads.Start("visit-" + std::to_string(i), [&] {
          while (Clock::now() < end) {
            Nap(milliseconds(2));
            Work(microseconds(50));
            lines.Put(i);
          }
        });
      }
    }
    lines.Shut();
  });
  return 0;
}

int HeldAnswers(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions;
  Channel answers;
  Processes processes;
  processes.Start("named", [&] {
    // Answers are held for a while, as if they came from far away; others are asked meanwhile.
    std::deque<Clock::time_point> held;
    const microseconds length(options.slow ? 4000 : 300);
    Queue asked(1000);
    Threads threads;
    threads.Start("socket", [&] {
      int question = 0;
      while (questions.Receive(&question)) {
        Work(microseconds(30));
        asked.Put(question);
      }
      asked.Shut();
    });
    threads.Start("upstream", [&] {
      int question = 0;
      while (asked.Take(&question)) {
        Nap(length);
        answers.Send(question);
      }
    });
  });
  processes.Start("browser", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(3));
      for (int i = 0; i < 2; ++i) questions.Send(i);
      for (int i = 0; i < 2; ++i) {
        if (!answers.Receive(&answer)) return;
      }
      Work(microseconds(200));
    }
    questions.Shut();
  });
  return 0;
}

int WakeupChain(const Options& options) {
  const int stages = options.slow ? 6 : 3;
  std::deque<Channel> channels(stages + 1);
  Processes processes;
  processes.Start("pipeline", [&] {
    Threads threads;
    for (int i = 0; i < stages; ++i) {
      threads.Start("stage-" + std::to_string(i), [&, i] {
        int item = 0;
        while (channels[i].Receive(&item)) {
          Work(microseconds(40));
          channels[i + 1].Send(item);
        }
      });
    }
  });
  processes.Start("source", [&] {
    const auto end = Clock::now() + options.length;
    int item = 0;
    do {
      Nap(milliseconds(1));
      Work(microseconds(20));
      channels.front().Send(item);
    } while (channels.back().Receive(&item) && Clock::now() < end);
    for (Channel& channel : channels) channel.Shut();
  });
  return 0;
}

}  // namespace planted
