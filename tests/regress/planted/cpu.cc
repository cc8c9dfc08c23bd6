// SPDX-License-Identifier: BSD-2-Clause
// Work that takes more or less CPU time.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

void Start(Threads& threads, const std::string& name, int count, Clock::time_point end,
           microseconds period, microseconds work) {
  threads.StartMany(name, count, [=](int) { WorkAtAPace(end, period, work); });
}

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

int CheaperWork(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("codec", [&] {
    Threads threads;
    threads.StartMany("block-", 2, [&](int) {
      WorkAtAPace(end, milliseconds(5), microseconds(options.slow ? 700 : 1500));
    });
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
      threads.StartMany("document-", 2, [&](int) {
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
    });
  }
  close(file);
  return 0;
}

int ChattyLog(const Options& options) {
  Channel lines;
  Processes processes;
  processes.Start("logd", [&] {
    int line = 0;
    while (lines.Receive(&line)) Work(microseconds(10));
  });
  processes.Start("frontend", [&] {
    const auto end = Clock::now() + options.length;
    const int lines_of_a_request = options.slow ? 30 : 1;
    {
      Threads threads;
      threads.StartMany("request-", 2, [&](int) {
        Pace pace(milliseconds(5));
        while (Clock::now() < end) {
          pace.Wait();
          for (int line = 0; line < lines_of_a_request; ++line) {
            Work(microseconds(200 / lines_of_a_request));
            lines.Send(line);
          }
        }
      });
    }
    lines.Shut();
  });
  return 0;
}

int BusyPolling(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("mailer", [&] {
    Threads threads;
    threads.Start("poller", [&] {
      const microseconds pause(options.slow ? 200 : 5000);
      while (Clock::now() < end) {
        Nap(pause);
        Work(microseconds(5));
      }
    });
    threads.Start("composer", [end] { WorkAtAPace(end, milliseconds(5), microseconds(300)); });
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

int GrowingList(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("inventory", [&] {
    Threads threads;
    threads.Start("lookup", [&] {
      Pace pace(milliseconds(2));
      for (int items = 0; Clock::now() < end; ++items) {
        pace.Wait();
        // The slow form scans all items; the base form finds an item by its key.
        Work(microseconds(40 + (options.slow ? items / 4 : 0)));
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

}  // namespace

std::vector<Scenario> CpuScenarios() {
  return {
      {"dearer_work", "each item takes 30% more CPU time", DearerWork},
      {"cheaper_work", "each item takes half of the CPU time", CheaperWork},
      {"small_reads", "a file is read 4 bytes at a time", SmallReads},
      {"chatty_log", "thirty log lines for a request instead of one", ChattyLog},
      {"busy_polling", "a queue is polled every 200 us instead of every 5 ms", BusyPolling},
      {"spinning_wait", "a thread waits in a loop instead of asleep", SpinningWait},
      {"growing_list", "each item scans all items before it", GrowingList},
      {"nothing", "nothing", Nothing},
  };
}

}  // namespace planted
