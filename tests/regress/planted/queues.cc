// SPDX-License-Identifier: BSD-2-Clause
// Threads that pass items through queues and pools.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// A counting semaphore.
class Permits {
 public:
  explicit Permits(int count) : count_(count) {}
  void Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    given_back_.wait(lock, [&] { return count_ > 0; });
    --count_;
  }
  void GiveBack() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
    given_back_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int count_;
};

int WakeupChain(const Options& options) {
  const int stages = options.slow ? 6 : 3;
  std::deque<Channel> channels(stages + 1);
  Processes processes;
  processes.Start("pipeline", [&] {
    Threads threads;
    threads.StartMany("stage-", stages, [&](int i) {
      int item = 0;
      while (channels[i].Receive(&item)) {
        Work(microseconds(40));
        channels[i + 1].Send(item);
      }
    });
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

int LargerBatches(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel items;
  Processes processes;
  processes.Start("packer", [&] {
    int count = 0;
    while (items.Receive(&count)) Work(microseconds(20 * count));
  });
  processes.Start("orders", [&] {
    const int batch = options.slow ? 20 : 2;
    Pace pace(microseconds(250 * batch));
    while (Clock::now() < end) {
      pace.Wait();
      Work(microseconds(10 * batch));
      items.Send(batch);
    }
    items.Shut();
  });
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
    threads.StartMany("taker-", 8, [&](int) {
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
    threads.StartMany("visit-", 4, [&](int) {
      while (Clock::now() < end) {
        Work(microseconds(50));
        {
          std::unique_lock lock(mutex);
          given_back.wait(lock, [&] { return free > 0; });
          --free;
        }
        // The answer of the database.
        Nap(microseconds(1200));
        {
          const std::lock_guard lock(mutex);
          ++free;
        }
        given_back.notify_one();
        Nap(milliseconds(2));
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
        // The timeout finds letters whose notification was lost.
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
        // The printer pauses after each stack of twelve.
        if (++count % 12 == 0) Nap(milliseconds(10));
      }
    });
  });
  return 0;
}

int LostPermits(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("crawler", [&] {
    constexpr int kPermits = 8;
    Permits permits(kPermits);
    Threads threads;
    threads.StartMany("fetch-", 6, [&](int) {
      while (Clock::now() < end) {
        permits.Take();
        Nap(milliseconds(5));
        permits.GiveBack();
        Work(microseconds(100));
      }
    });
    if (!options.slow) return;
    threads.Start("failing", [&] {
      // One permit remains.
      for (int lost = 1; lost < kPermits; ++lost) {
        Nap(milliseconds(350));
        permits.Take();
      }
    });
  });
  return 0;
}

int NoOverlap(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel full, empty;
  Processes processes;
  processes.Start("press", [&] {
    Threads threads;
    threads.Start("fetcher", [&] {
      int buffer = 0;
      while (Clock::now() < end && empty.Receive(&buffer)) {
        Nap(milliseconds(3));  // the device
        full.Send(buffer);
      }
      full.Shut();
    });
    threads.Start("cruncher", [&] { Serve(full, empty, [&](int) { Work(milliseconds(3)); }); });
    for (int buffer = 0; buffer < (options.slow ? 1 : 2); ++buffer) empty.Send(buffer);
  });
  return 0;
}

int IdleThreads(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel items, never;
  Processes processes;
  processes.Start("pool", [&] {
    Threads threads;
    threads.StartMany("worker-", (options.slow ? 15 : 3), [&](int i) {
      int item = 0;
      while ((i < 3 ? items : never).Receive(&item)) Work(microseconds(250));
    });
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

}  // namespace

std::vector<Scenario> QueueScenarios() {
  return {
      {"wakeup_chain", "an item passes six stages instead of three", WakeupChain},
      {"no_batches", "items are passed one at a time instead of in sixteens", NoBatches},
      {"larger_batches", "items are passed in twenties instead of in twos", LargerBatches},
      {"wake_all", "an item wakes all eight threads instead of one", WakeAll},
      {"fewer_connections", "four threads share one connection instead of four", FewerConnections},
      {"lost_wakeup", "one notification in forty is lost until a timeout of 30 ms", LostWakeup},
      {"shorter_queue", "a queue holds two items instead of 64", ShorterQueue},
      {"lost_permits", "permits leak until one of eight is left", LostPermits},
      {"no_overlap", "one buffer instead of two: fetching and computing alternate", NoOverlap},
      {"idle_threads", "nothing but twelve more idle threads", IdleThreads},
  };
}

}  // namespace planted
