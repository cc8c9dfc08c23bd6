// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of ways to ask, to wait and to hand out work, made without a look at what `fxt diff`
// says of them.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

int SerialCalls(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  processes.Start("directory", [&] {
    int rows = 0;
    while (questions.Receive(&rows)) {
      Work(microseconds(15 * rows));
      answers.Send(rows);
    }
  });
  processes.Start("listing", [&] {
    constexpr int kRows = 12;
    const int batch = options.slow ? 1 : kRows;
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(8));
      for (int rows = 0; rows < kRows; rows += batch) {
        if (!questions.Send(batch) || !answers.Receive(&answer)) return;
      }
      Work(microseconds(100));
    }
    questions.Shut();
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
        // What is looked for is found by its key, or by going through all that came before it.
        Work(microseconds(40 + (options.slow ? items / 4 : 0)));
      }
    });
  });
  return 0;
}

int HeadOfLine(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel short_questions, short_answers, long_questions, long_answers;
  constexpr int kShort = 60;
  constexpr int kLong = 9000;
  Processes processes;
  processes.Start("desk", [&] {
    const auto serve = [&](Channel& questions) {
      int length = 0;
      while (questions.Receive(&length)) {
        Work(microseconds(length));
        (length == kLong ? long_answers : short_answers).Send(length);
      }
    };
    Threads threads;
    threads.Start("clerk-0", [&] { serve(short_questions); });
    threads.Start("clerk-1", [&] { serve(long_questions); });
  });
  processes.Start("counter", [&] {
    {
      Threads threads;
      threads.Start("quick", [&] {
        int answer = 0;
        while (Clock::now() < end) {
          Nap(milliseconds(3));
          if (!short_questions.Send(kShort) || !short_answers.Receive(&answer)) return;
        }
      });
      threads.Start("bulk", [&] {
        int answer = 0;
        while (Clock::now() < end) {
          Nap(milliseconds(40));
          Channel& queue = options.slow ? short_questions : long_questions;
          if (!queue.Send(kLong) || !long_answers.Receive(&answer)) return;
        }
      });
    }
    short_questions.Shut();
    long_questions.Shut();
  });
  return 0;
}

int ManyDescriptors(const Options& options) {
  const size_t count = options.slow ? 3000 : 8;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  int ends[2];
  int silent[2];
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || pipe2(ends, O_CLOEXEC) != 0 ||
      pipe2(silent, O_CLOEXEC) != 0) {
    perror("planted: pipe");
    return 1;
  }
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("chat", [&] {
    close(ends[1]);
    std::vector<pollfd> watched(count, pollfd{silent[0], POLLIN, 0});
    watched.back().fd = ends[0];
    char message = 0;
    while (poll(watched.data(), watched.size(), -1) > 0) {
      if (read(ends[0], &message, 1) <= 0) return;
      Work(microseconds(20));
    }
  });
  close(ends[0]);
  processes.Start("talker", [&] {
    Pace pace(milliseconds(1));
    while (Clock::now() < end) {
      pace.Wait();
      if (write(ends[1], "", 1) < 0) return;
    }
  });
  for (const int descriptor : {ends[1], silent[0], silent[1]}) close(descriptor);
  return 0;
}

int AlignedTimers(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("meters", [&] {
    constexpr int kMeters = 12;
    constexpr microseconds kPeriod(20'000);
    Threads threads;
    for (int i = 0; i < kMeters; ++i) {
      threads.Start("meter-" + std::to_string(i), [&, i] {
        // One after the other, or all at the same time.
        if (!options.slow) Nap(kPeriod * i / kMeters);
        Pace pace(kPeriod);
        while (Clock::now() < end) {
          pace.Wait();
          Work(microseconds(400));
        }
      });
    }
  });
  return 0;
}

int SynchronousHelper(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  processes.Start("gallery", [&] {
    int question = 0;
    for (int number = 1; questions.Receive(&question); ++number) {
      Work(microseconds(60));
      if (number % 8 == 0) {
        const pid_t helper = fork();
        if (helper == 0) {
          NameThread("thumbnail");
          Work(milliseconds(6));
          _exit(0);
        }
        if (helper > 0) waitpid(helper, nullptr, options.slow ? 0 : WNOHANG);
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
      }
      answers.Send(question);
    }
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  });
  processes.Start("visitor", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(4));
      if (!questions.Send(0) || !answers.Receive(&answer)) break;
    }
    questions.Shut();
  });
  return 0;
}

int NoReadAhead(const Options& options) {
  constexpr size_t kPart = 16384;
  constexpr int kParts = 2000;
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  std::vector<char> part(kPart, 'x');
  bool good = true;
  for (int i = 0; good && i < kParts; ++i) {
    good = write(file.descriptor(), part.data(), part.size()) == static_cast<ssize_t>(part.size());
  }
  good = good && fsync(file.descriptor()) == 0;
  if (good) {
    const auto end = Clock::now() + options.length;
    Processes processes;
    processes.Start("replay", [&] {
      posix_fadvise(file.descriptor(), 0, 0, options.slow ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL);
      for (int at = 0; Clock::now() < end; at = (at + 1) % kParts) {
        // Nothing is left in the page cache when it begins anew.
        if (at == 0) posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
        if (pread(file.descriptor(), part.data(), part.size(), static_cast<off_t>(kPart) * at) < 0)
          return;
        Work(microseconds(50));
        Nap(milliseconds(2));
      }
    });
  }
  return good ? 0 : 1;
}

int CacheMisses(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  processes.Start("depot", [&] {
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(200));
      Nap(milliseconds(1));
      answers.Send(question);
    }
  });
  processes.Start("shelf", [&] {
    const int misses = options.slow ? 10 : 1;  // of twenty
    int answer = 0;
    for (int number = 0; Clock::now() < end; ++number) {
      Nap(milliseconds(2));
      Work(microseconds(30));
      if (number * 7 % 20 >= misses) continue;
      if (!questions.Send(number) || !answers.Receive(&answer)) return;
    }
    questions.Shut();
  });
  return 0;
}

int IdleThreads(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel items, never;
  Processes processes;
  processes.Start("pool", [&] {
    Threads threads;
    for (int i = 0; i < (options.slow ? 15 : 3); ++i) {
      threads.Start("worker-" + std::to_string(i), [&, i] {
        int item = 0;
        while ((i < 3 ? items : never).Receive(&item)) Work(microseconds(250));
      });
    }
  });
  processes.Start("submit", [&] {
    Pace pace(milliseconds(2));
    while (Clock::now() < end) {
      pace.Wait();
      items.Send(0);
    }
    items.Shut();
    never.Shut();
  });
  return 0;
}

}  // namespace planted
