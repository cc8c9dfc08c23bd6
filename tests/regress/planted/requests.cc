// SPDX-License-Identifier: BSD-2-Clause
// Clients that wait for the answers of a server.
#include <poll.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// A server process whose workers answer the threads of a client process.
struct Shop {
  int clients = 4;
  int workers = 4;
  bool paced = false;         // clients send at a fixed rate; otherwise they sleep after an answer
  microseconds period{2000};  // between two requests of a client
  microseconds work{100};     // of the server, per request
  microseconds nap{0};        // of the server
  int nap_every = 1;          // requests per nap
  std::string worker_name = "worker-";
};

void Serve(const Shop& shop, Channel& requests, std::deque<Channel>& answers) {
  Threads threads;
  // All workers share one count, so the number of naps follows the number of requests.
  const auto count = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < shop.workers; ++i) {
    threads.Start(shop.worker_name + std::to_string(i), [&, count] {
      int client = 0;
      while (requests.Receive(&client)) {
        Work(shop.work);
        if (shop.nap.count() > 0 && ++*count % shop.nap_every == 0) Nap(shop.nap);
        answers[client].Send(client);
      }
    });
  }
}

void Ask(const Shop& shop, milliseconds length, Channel& requests, std::deque<Channel>& answers) {
  const auto end = Clock::now() + length;
  {
    Threads threads;
    for (int i = 0; i < shop.clients; ++i) {
      threads.Start("client-" + std::to_string(i), [&, i] {
        Pace pace(shop.period);
        int answer = 0;
        while (Clock::now() < end) {
          if (shop.paced) {
            pace.Wait();
          } else {
            Nap(shop.period);
          }
          Work(microseconds(20));
          if (!requests.Send(i) || !answers[i].Receive(&answer)) return;
        }
      });
    }
  }
  requests.Shut();
}

int Run(const Shop& shop, const Options& options) {
  Channel requests;
  std::deque<Channel> answers(shop.clients);
  Processes processes;
  processes.Start("shop-server", [&] { Serve(shop, requests, answers); });
  processes.Start("shop-client", [&] { Ask(shop, options.length, requests, answers); });
  return 0;
}

int AddedSleep(const Options& options) {
  Shop shop;
  if (options.slow) shop.nap = milliseconds(3);
  return Run(shop, options);
}

int TailOnly(const Options& options) {
  Shop shop;
  shop.nap = milliseconds(options.slow ? 40 : 0);
  shop.nap_every = 500;
  return Run(shop, options);
}

int Faster(const Options& options) {
  Shop shop;
  shop.paced = true;
  shop.period = milliseconds(4);
  shop.work = microseconds(options.slow ? 200 : 600);
  return Run(shop, options);
}

int DoubledWork(const Options& options) {
  Shop shop;
  shop.paced = true;
  shop.period = milliseconds(options.slow ? 2 : 4);
  shop.work = microseconds(150);
  return Run(shop, options);
}

int RenamedThreads(const Options& options) {
  Shop shop;
  shop.paced = true;
  shop.period = milliseconds(4);
  shop.work = microseconds(200);
  if (options.slow) shop.worker_name = "executor-";
  return Run(shop, options);
}

int SmallerPool(const Options& options) {
  Shop shop;
  shop.nap = milliseconds(1);
  if (options.slow) shop.workers = 1;
  return Run(shop, options);
}

int HalfPool(const Options& options) {
  Shop shop;
  shop.period = microseconds(500);
  shop.nap = milliseconds(1);
  if (options.slow) shop.workers = 2;
  return Run(shop, options);
}

int Straggler(const Options& options) {
  constexpr int kShards = 4;
  Channel answers;
  std::deque<Channel> requests(kShards);
  Processes processes;
  processes.Start("shards", [&] {
    Threads threads;
    threads.StartMany("shard-", kShards, [&](int i) {
      int request = 0;
      while (requests[i].Receive(&request)) {
        Work(microseconds(i == 0 && options.slow ? 1200 : 200));
        answers.Send(request);
      }
    });
  });
  processes.Start("query", [&] {
    const auto end = Clock::now() + options.length;
    Threads threads;
    threads.Start("gather", [&] {
      int answer = 0;
      while (Clock::now() < end) {
        Nap(milliseconds(2));
        for (Channel& request : requests) request.Send(0);
        for (int i = 0; i < kShards; ++i) {
          if (!answers.Receive(&answer)) return;
        }
        Work(microseconds(50));
      }
      for (Channel& request : requests) request.Shut();
    });
  });
  return 0;
}

int SlowerAnswer(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests;
  Channel answers;
  Processes processes;
  processes.Start("rates", [&] {
    Serve(requests, answers, [&](int) {
      Work(microseconds(30));
      Nap(microseconds(options.slow ? 1600 : 800));
    });
  });
  processes.Start("quotes", [&] {
    Threads threads;
    threads.Start("offer", [&] {
      RequestUntil(end, milliseconds(1), requests, answers, [] { Work(microseconds(100)); });
    });
  });
  return 0;
}

int LateTail(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("search", [&] {
    Channel requests;
    Channel answers;
    Threads threads;
    threads.Start("index", [&] {
      int n = 0;
      Serve(requests, answers,
            [&](int) { Work(microseconds(options.slow && ++n % 200 == 0 ? 25'000 : 150)); });
    });
    threads.Start("ask", [&] {
      RequestUntil(end, microseconds(1500), requests, answers, [] { Work(microseconds(30)); });
    });
  });
  return 0;
}

int QuestionsAsBefore(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests;
  Channel answers;
  Processes processes;
  processes.Start("oracle",
                  [&] { Serve(requests, answers, [&](int) { Work(microseconds(200)); }); });
  processes.Start("pilgrim", [&] {
    Threads threads;
    threads.Start("asking", [&] { RequestUntil(end, milliseconds(2), requests, answers); });
  });
  return 0;
}

int ExtraHop(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers, forwarded, returned;
  Processes processes;
  Channel& served = options.slow ? forwarded : requests;
  Channel& given = options.slow ? returned : answers;
  processes.Start("store", [&] { Serve(served, given, [&](int) { Work(microseconds(120)); }); });
  if (options.slow) {
    processes.Start("sidecar", [&] {
      int message = 0;
      while (requests.Receive(&message)) {
        Work(microseconds(100));
        forwarded.Send(message);
        if (!returned.Receive(&message)) return;
        Work(microseconds(100));
        answers.Send(message);
      }
    });
  }
  processes.Start("basket", [&] {
    RequestUntil(end, milliseconds(2), requests, answers, [] { Work(microseconds(60)); });
    forwarded.Shut();
  });
  return 0;
}

int SleepingPoll(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel orders, receipts;
  Processes processes;
  processes.Start("kitchen", [&] {
    Serve(orders, receipts, [&](int) {
      // A server that polls finds the work some time after it arrived.
      if (options.slow) Nap(microseconds(3000));
      Work(microseconds(150));
    });
  });
  processes.Start("waiter", [&] {
    Threads threads;
    threads.Start("table", [&] { RequestUntil(end, milliseconds(4), orders, receipts); });
  });
  return 0;
}

int RetryBackOff(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests;
  Channel answers;
  Processes processes;
  processes.Start("ledger", [&] {
    int request = 0;
    for (int n = 1; requests.Receive(&request); ++n) {
      Work(microseconds(60));
      // The answer 0 asks the client to try again.
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
          if (!requests.Send(0) || !answers.Receive(&done)) return;
          if (done != 0) break;
          Nap(pause);
        }
        Work(microseconds(40));
      }
      requests.Shut();
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
      int n = 0;
      Serve(names, addresses, [&](int) {
        // The first of two servers does not answer; the second is asked after a timeout.
        if (options.slow && ++n % 20 == 0) poll(nullptr, 0, 50);
        Work(microseconds(30));
      });
    });
    threads.Start("fetcher", [&] {
      RequestUntil(end, milliseconds(3), names, addresses, [] { Work(microseconds(150)); });
    });
  });
  return 0;
}

int HeldAnswers(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests;
  Channel answers;
  Processes processes;
  processes.Start("named", [&] {
    // An answer arrives late, as from a distant server. Other requests are accepted meanwhile.
    const microseconds length(options.slow ? 4000 : 300);
    Queue asked(1000);
    Threads threads;
    threads.Start("socket", [&] {
      int request = 0;
      while (requests.Receive(&request)) {
        Work(microseconds(30));
        asked.Put(request);
      }
      asked.Shut();
    });
    threads.Start("upstream", [&] {
      int request = 0;
      while (asked.Take(&request)) {
        Nap(length);
        answers.Send(request);
      }
    });
  });
  processes.Start("browser", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(3));
      for (int i = 0; i < 2; ++i) requests.Send(i);
      for (int i = 0; i < 2; ++i) {
        if (!answers.Receive(&answer)) return;
      }
      Work(microseconds(200));
    }
    requests.Shut();
  });
  return 0;
}

int SerialCalls(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  processes.Start("directory", [&] {
    Serve(requests, answers, [&](int rows) { Work(microseconds(15 * rows)); });
  });
  processes.Start("listing", [&] {
    constexpr int kRows = 12;
    const int batch = options.slow ? 1 : kRows;
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(8));
      for (int rows = 0; rows < kRows; rows += batch) {
        if (!requests.Send(batch) || !answers.Receive(&answer)) return;
      }
      Work(microseconds(100));
    }
    requests.Shut();
  });
  return 0;
}

int HeadOfLine(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel short_requests, short_answers, long_requests, long_answers;
  constexpr int kShort = 60;
  constexpr int kLong = 9000;
  Processes processes;
  processes.Start("desk", [&] {
    const auto serve = [&](Channel& requests) {
      int length = 0;
      while (requests.Receive(&length)) {
        Work(microseconds(length));
        (length == kLong ? long_answers : short_answers).Send(length);
      }
    };
    Threads threads;
    threads.Start("clerk-0", [&] { serve(short_requests); });
    threads.Start("clerk-1", [&] { serve(long_requests); });
  });
  processes.Start("counter", [&] {
    {
      Threads threads;
      threads.Start("quick", [&] {
        int answer = 0;
        while (Clock::now() < end) {
          Nap(milliseconds(3));
          if (!short_requests.Send(kShort) || !short_answers.Receive(&answer)) return;
        }
      });
      threads.Start("bulk", [&] {
        int answer = 0;
        while (Clock::now() < end) {
          Nap(milliseconds(40));
          Channel& queue = options.slow ? short_requests : long_requests;
          if (!queue.Send(kLong) || !long_answers.Receive(&answer)) return;
        }
      });
    }
    short_requests.Shut();
    long_requests.Shut();
  });
  return 0;
}

int CacheMisses(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  processes.Start("depot", [&] {
    Serve(requests, answers, [&](int) {
      Work(microseconds(200));
      Nap(milliseconds(1));
    });
  });
  processes.Start("shelf", [&] {
    const int misses = options.slow ? 10 : 1;  // of twenty
    int answer = 0;
    for (int number = 0; Clock::now() < end; ++number) {
      Nap(milliseconds(2));
      Work(microseconds(30));
      if (number * 7 % 20 >= misses) continue;
      if (!requests.Send(number) || !answers.Receive(&answer)) return;
    }
    requests.Shut();
  });
  return 0;
}

int SlowStart(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  processes.Start("station", [&] {
    // The server reads its configuration.
    Work(milliseconds(options.slow ? 150 : 10));
    Serve(requests, answers, [&](int) { Work(microseconds(40)); });
  });
  processes.Start("caller", [&] { RequestUntil(end, milliseconds(4), requests, answers); });
  return 0;
}

}  // namespace

std::vector<Scenario> RequestScenarios() {
  return {
      {"added_sleep", "the server sleeps 3 ms for each request", AddedSleep},
      {"tail_only", "the server sleeps 40 ms for one request in 500", TailOnly},
      {"faster", "a request takes a third of the CPU time", Faster},
      {"doubled_work", "clients send twice as many requests", DoubledWork},
      {"renamed_threads", "nothing but another name of the workers", RenamedThreads},
      {"smaller_pool", "one worker instead of four", SmallerPool},
      {"half_pool", "two workers instead of four", HalfPool},
      {"straggler", "one of four shards does six times the work", Straggler},
      {"slower_answer", "an answer takes 1.6 ms instead of 0.8 ms", SlowerAnswer},
      {"late_tail", "one request in 200 takes 25 ms of CPU time", LateTail},
      {"as_before", "nothing, in a server and a client", QuestionsAsBefore},
      {"extra_hop", "requests pass through another process", ExtraHop},
      {"sleeping_poll", "the server looks for work after a pause of 3 ms", SleepingPoll},
      {"retry_back_off", "one request in 25 is retried after 10 ms", RetryBackOff},
      {"lookup_timeout", "one lookup in twenty waits 50 ms for an absent server", LookupTimeout},
      {"held_answers", "answers arrive after 4 ms instead of 0.3 ms", HeldAnswers},
      {"serial_calls", "twelve requests in sequence instead of one for all rows", SerialCalls},
      {"head_of_line", "long requests share the queue of short ones", HeadOfLine},
      {"cache_misses", "half of the lookups go to the store instead of one in twenty", CacheMisses},
      {"slow_start", "reading the configuration takes 150 ms instead of 10 ms", SlowStart},
  };
}

}  // namespace planted
