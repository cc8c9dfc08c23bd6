// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of waits that come seldom, or that look like something else.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

int LongerLock(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("cache", [&] {
    std::shared_mutex entries;
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("reader-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          {
            const std::shared_lock lock(entries);
            Work(microseconds(60));
          }
          Nap(microseconds(900));
        }
      });
    }
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

int RareFsync(const Options& options) {
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("mailbox", [&] {
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.Start("delivery-" + std::to_string(i), [&] {
        std::array<char, 2048> mail{};
        for (int n = 1; Clock::now() < end; ++n) {
          Work(microseconds(80));
          if (write(file.descriptor(), mail.data(), mail.size()) < 0) return;
          if (options.slow && n % 40 == 0) fsync(file.descriptor());
          Nap(milliseconds(2));
        }
      });
    }
  });
  return 0;
}

int GcPauses(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("runtime", [&] {
    std::shared_mutex world;
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("mutator-" + std::to_string(i), [&] {
        Pace pace(milliseconds(3));
        while (Clock::now() < end) {
          pace.Wait();
          const std::shared_lock lock(world);
          Work(microseconds(250));
        }
      });
    }
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

int SlowPipe(const Options& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    perror("planted: pipe2");
    return 1;
  }
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  {
    Processes processes;
    processes.Start("shipper", [&] {
      close(ends[1]);
      std::array<char, 512> lines{};
      while (read(ends[0], lines.data(), lines.size()) > 0) {
        if (options.slow) Nap(microseconds(1800));
      }
    });
    processes.Start("gateway", [&] {
      close(ends[0]);
      const auto end = Clock::now() + options.length;
      Threads threads;
      for (int i = 0; i < 3; ++i) {
        threads.Start("session-" + std::to_string(i), [&] {
          const std::array<char, 200> line{};
          while (Clock::now() < end) {
            Work(microseconds(120));
            if (write(ends[1], line.data(), line.size()) < 0) return;
            Nap(milliseconds(1));
          }
        });
      }
    });
    close(ends[0]);
    close(ends[1]);
  }
  return 0;
}

int RetryBackOff(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions;
  Channel answers;
  Processes processes;
  processes.Start("ledger", [&] {
    int question = 0;
    for (int n = 1; questions.Receive(&question); ++n) {
      Work(microseconds(60));
      // Busy: try again.
      answers.Send(options.slow && n % 25 == 0 ? 0 : 1);
    }
  });
  processes.Start("teller", [&] {
    Threads threads;
    threads.Start("posting", [&] {
      while (Clock::now() < end) {
        Nap(milliseconds(1));
        int done = 0;
        milliseconds pause(10);
        for (int tries = 0; tries < 5; ++tries, pause *= 2) {
          if (!questions.Send(0) || !answers.Receive(&done)) return;
          if (done != 0) break;
          Nap(pause);
        }
        Work(microseconds(40));
      }
      questions.Shut();
    });
  });
  return 0;
}

int LookupTimeout(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("crawler", [&] {
    Channel names;
    Channel addresses;
    Threads threads;
    threads.Start("resolver", [&] {
      int name = 0;
      // The first of two servers does not answer: the second is asked after a while.
      while (names.Receive(&name)) {
        if (options.slow && name % 20 == 0) poll(nullptr, 0, 50);
        Work(microseconds(30));
        addresses.Send(name);
      }
    });
    threads.Start("fetcher", [&] {
      int address = 0;
      for (int n = 1; Clock::now() < end; ++n) {
        Nap(milliseconds(3));
        if (!names.Send(n) || !addresses.Receive(&address)) return;
        Work(microseconds(150));
      }
      names.Shut();
    });
  });
  return 0;
}

}  // namespace planted
