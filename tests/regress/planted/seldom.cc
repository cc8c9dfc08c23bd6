// SPDX-License-Identifier: BSD-2-Clause
// Scenarios that were recorded last, to hold against what the ones before them had led to.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

int DirectReads(const Options& options) {
  constexpr size_t kBlock = 16384;
  constexpr int kBlocks = 400;
  const NamelessFile made(options.folder);
  if (!made.good()) return 1;
  void* block = nullptr;
  if (posix_memalign(&block, 4096, kBlock) != 0) return 1;
  std::fill_n(static_cast<char*>(block), kBlock, 'x');
  for (int i = 0; i < kBlocks; ++i) {
    if (write(made.descriptor(), block, kBlock) != static_cast<ssize_t>(kBlock)) return 1;
  }
  fdatasync(made.descriptor());
  const int file = made.OpenAgain(O_RDONLY | (options.slow ? O_DIRECT : 0));
  if (file < 0) {
    perror("planted: O_DIRECT");
    return 1;
  }
  {
    const auto end = Clock::now() + options.length;
    Processes processes;
    processes.Start("archive", [&] {
      Threads threads;
      threads.Start("restore", [&] {
        for (int64_t i = 0; Clock::now() < end; ++i) {
          if (pread(file, block, kBlock, i * 7 % kBlocks * static_cast<int64_t>(kBlock)) < 0)
            return;
          Work(microseconds(100));
          Nap(milliseconds(3));
        }
      });
    });
  }
  close(file);
  free(block);
  return 0;
}

int WakeAll(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("queue", [&] {
    std::mutex mutex;
    std::condition_variable filled;
    int items = 0;
    bool done = false;
    Threads threads;
    for (int i = 0; i < 8; ++i) {
      threads.Start("taker-" + std::to_string(i), [&] {
        for (;;) {
          {
            std::unique_lock lock(mutex);
            filled.wait(lock, [&] { return items > 0 || done; });
            if (done) return;
            --items;
          }
          Work(microseconds(40));
        }
      });
    }
    threads.Start("giver", [&] {
      Pace pace(milliseconds(2));
      while (Clock::now() < end) {
        pace.Wait();
        const std::lock_guard lock(mutex);
        ++items;
        if (options.slow) {
          filled.notify_all();
        } else {
          filled.notify_one();
        }
      }
      const std::lock_guard lock(mutex);
      done = true;
      filled.notify_all();
    });
  });
  return 0;
}

int FewerConnections(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("portal", [&] {
    std::mutex mutex;
    std::condition_variable given_back;
    int free = options.slow ? 1 : 4;
    Threads threads;
    for (int i = 0; i < 4; ++i) {
      threads.Start("visit-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          Work(microseconds(50));
          {
            std::unique_lock lock(mutex);
            given_back.wait(lock, [&] { return free > 0; });
            --free;
          }
          // The database answers.
          Nap(microseconds(1200));
          {
            const std::lock_guard lock(mutex);
            ++free;
          }
          given_back.notify_one();
          Nap(milliseconds(2));
        }
      });
    }
  });
  return 0;
}

int SlowerAnswer(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions;
  Channel answers;
  Processes processes;
  processes.Start("rates", [&] {
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(30));
      Nap(microseconds(options.slow ? 1600 : 800));
      answers.Send(question);
    }
  });
  processes.Start("quotes", [&] {
    Threads threads;
    threads.Start("offer", [&] {
      int answer = 0;
      while (Clock::now() < end) {
        Nap(milliseconds(1));
        if (!questions.Send(0) || !answers.Receive(&answer)) return;
        Work(microseconds(100));
      }
      questions.Shut();
    });
  });
  return 0;
}

int OneCpuOfAThread(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("studio", [&] {
    Threads threads;
    threads.Start("render", [end] {
      PinToLastCpu();
      while (Clock::now() < end) {
        Work(milliseconds(8));
        Nap(milliseconds(2));
      }
    });
    threads.Start("preview", [&] {
      if (options.slow) PinToLastCpu();
      Pace pace(milliseconds(5));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(300));
      }
    });
  });
  return 0;
}

int LateTail(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("search", [&] {
    Channel questions;
    Channel answers;
    Threads threads;
    threads.Start("index", [&] {
      int question = 0;
      for (int n = 1; questions.Receive(&question); ++n) {
        // One question in 200 asks for everything.
        Work(microseconds(options.slow && n % 200 == 0 ? 25'000 : 150));
        answers.Send(question);
      }
    });
    threads.Start("ask", [&] {
      int answer = 0;
      while (Clock::now() < end) {
        Nap(microseconds(1500));
        if (!questions.Send(0) || !answers.Receive(&answer)) return;
        Work(microseconds(30));
      }
      questions.Shut();
    });
  });
  return 0;
}

int CheaperWork(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("codec", [&] {
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.Start("block-" + std::to_string(i), [&] {
        Pace pace(milliseconds(5));
        while (Clock::now() < end) {
          pace.Wait();
          Work(microseconds(options.slow ? 700 : 1500));
        }
      });
    }
  });
  return 0;
}

int QuestionsAsBefore(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions;
  Channel answers;
  Processes processes;
  processes.Start("oracle", [&] {
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(200));
      answers.Send(question);
    }
  });
  processes.Start("pilgrim", [&] {
    Threads threads;
    threads.Start("asking", [&] {
      int answer = 0;
      while (Clock::now() < end) {
        Nap(milliseconds(2));
        if (!questions.Send(0) || !answers.Receive(&answer)) return;
      }
      questions.Shut();
    });
  });
  return 0;
}

}  // namespace planted
