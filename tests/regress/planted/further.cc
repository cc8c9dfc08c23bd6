// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of habits that cost more than they look: polling, threads for everything, talkative
// logs, shards of unequal size.
#include <deque>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

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
    threads.Start("composer", [end] {
      Pace pace(milliseconds(5));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(300));
      }
    });
  });
  return 0;
}

int ThreadPerRequest(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("gateway", [&] {
    Threads threads;
    threads.Start("acceptor", [&] {
      Pace pace(milliseconds(3));
      for (int request = 0; Clock::now() < end; ++request) {
        pace.Wait();
        if (options.slow || request % 20 == 0) {
          Threads one;
          one.Start("request", [] { Work(microseconds(200)); });
        } else {
          Work(microseconds(200));
        }
      }
    });
  });
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
      for (int i = 0; i < 2; ++i) {
        threads.Start("request-" + std::to_string(i), [&] {
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
    }
    lines.Shut();
  });
  return 0;
}

int Straggler(const Options& options) {
  constexpr int kShards = 4;
  Channel answers;
  std::deque<Channel> questions(kShards);
  Processes processes;
  processes.Start("shards", [&] {
    Threads threads;
    for (int i = 0; i < kShards; ++i) {
      threads.Start("shard-" + std::to_string(i), [&, i] {
        int question = 0;
        while (questions[i].Receive(&question)) {
          Work(microseconds(i == 0 && options.slow ? 1200 : 200));
          answers.Send(question);
        }
      });
    }
  });
  processes.Start("query", [&] {
    const auto end = Clock::now() + options.length;
    Threads threads;
    threads.Start("gather", [&] {
      int answer = 0;
      while (Clock::now() < end) {
        Nap(milliseconds(2));
        for (Channel& question : questions) question.Send(0);
        for (int i = 0; i < kShards; ++i) {
          if (!answers.Receive(&answer)) return;
        }
        Work(microseconds(50));
      }
      for (Channel& question : questions) question.Shut();
    });
  });
  return 0;
}

}  // namespace planted
