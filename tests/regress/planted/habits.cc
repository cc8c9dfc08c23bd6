// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of work that became a little dearer, and of the same that did not.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

void Start(Threads& threads, const std::string& name, int count, Clock::time_point end,
           microseconds period, microseconds work) {
  for (int i = 0; i < count; ++i) {
    threads.Start(name + std::to_string(i),
                  [end, period, work] { WorkAtAPace(end, period, work); });
  }
}

}  // namespace

int DearerWork(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("codec", [&] {
    Threads threads;
    Start(threads, "block-", 2, end, milliseconds(5), microseconds(options.slow ? 1950 : 1500));
    Start(threads, "header-", 2, end, milliseconds(10), microseconds(400));
  });
  return 0;
}

int SmallReads(const Options& options) {
  const auto end = Clock::now() + options.length;
  const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  {
    Processes processes;
    processes.Start("parser", [&] {
      Threads threads;
      for (int i = 0; i < 2; ++i) {
        threads.Start("document-" + std::to_string(i), [&] {
          std::array<char, 4096> text{};
          const size_t piece = options.slow ? 4 : 4096;
          Pace pace(milliseconds(8));
          while (Clock::now() < end) {
            pace.Wait();
            for (size_t at = 0; at < text.size(); at += piece) {
              if (read(file, text.data() + at, piece) <= 0) return;
            }
            Work(microseconds(300));
          }
        });
      }
    });
  }
  close(file);
  return 0;
}

int NoBatches(const Options& options) {
  Channel items;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("indexer", [&] {
    int count = 0;
    while (items.Receive(&count)) Work(microseconds(15 * count));
  });
  processes.Start("importer", [&] {
    {
      Threads threads;
      threads.Start("feed", [&] {
        const int batch = options.slow ? 1 : 16;
        Pace pace(microseconds(250));
        for (int n = 1; Clock::now() < end; ++n) {
          pace.Wait();
          Work(microseconds(20));
          if (n % batch == 0) items.Send(batch);
        }
      });
    }
    items.Shut();
  });
  return 0;
}

int SpinningWait(const Options& options) {
  Channel jobs;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("trader", [&] {
    std::atomic<int> ready{0};
    Threads threads;
    threads.Start("feed", [&] {
      Pace pace(milliseconds(4));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(100));
        ++ready;
        if (!options.slow) jobs.Send(1);
      }
      ready = -1;
      jobs.Shut();
    });
    threads.Start("strategy", [&] {
      int job = 0;
      for (int done = 0; Clock::now() < end; ++done) {
        if (options.slow) {
          while (ready == done && Clock::now() < end) Work(microseconds(1));
        } else if (!jobs.Receive(&job)) {
          return;
        }
        Work(microseconds(200));
      }
    });
  });
  return 0;
}

int Nothing(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("office", [&] {
    Threads threads;
    Start(threads, "clerk-", 3, end, milliseconds(6), microseconds(500));
    Start(threads, "printer-", 1, end, milliseconds(30), microseconds(3000));
  });
  return 0;
}

}  // namespace planted
