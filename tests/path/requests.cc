// SPDX-License-Identifier: BSD-2-Clause
// Serves requests, spans of the provider "requests", some of which are made slow in a known way:
//
//   requests ten MILLISECONDS none|lock|compute|sleep|helper|child
//   requests slow MILLISECONDS lock|pool|fsync|compute|collector FILE
//
// "ten" serves requests of ten names, one of which is slow by the given cause: lock checkout,
// compute search, sleep upload, helper orders, child reviews. "slow" serves requests of one name,
// "request", a few of which are slow: another thread holds their lock, fills their pool, syncs its
// data to the same disk, or stops all others as a garbage collector does. "compute" has ordinary
// requests that compute, for a cgroup that throttles them.
#include <fcntl.h>
#include <fxt_provider/event.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

extern "C" const char fxt_provider_name[] = "requests";

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

void Name(const char* name) { prctl(PR_SET_NAME, name); }

void Nap(microseconds length) { std::this_thread::sleep_for(length); }

// Uses that much time of a CPU.
void Compute(microseconds length) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto end = now() + length;
  while (now() < end) {
  }
}

// Threads that do what they are asked for, one after the other.
class Pool {
 public:
  Pool(const char* name, int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, name] {
        Name(name);
        Serve();
      });
    }
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void Start(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
  }
  void Call(const std::function<void()>& work) {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    Start([&] {
      work();
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }

 private:
  void Serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

// Does something again and again beside the requests, until it is destroyed.
class Background {
 public:
  Background(const char* name, microseconds pause, std::function<void()> work)
      : thread_([this, name, pause, work = std::move(work)] {
          Name(name);
          while (!over_) {
            work();
            Nap(pause);
          }
        }) {}
  ~Background() {
    over_ = true;
    thread_.join();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

void RunChild(microseconds length) {
  const pid_t child = fork();
  if (child == 0) {
    Name("renderer");
    Nap(length);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

// Other work of the machine must not be what makes most of the requests slow.
void BecomeRealtime() {
  const sched_param priority{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) std::perror("SCHED_FIFO");
}

void ServeTen(milliseconds duration, const std::string& slow) {
  BecomeRealtime();  // and so are its threads and children
  std::mutex stock;
  const microseconds held(slow == "lock" ? 6000 : 100);
  Background expiry("expiry", milliseconds(4), [&] {
    const std::lock_guard lock(stock);
    Nap(held);
  });
  Pool ledger("ledger", 1);
  const auto usual = [] {
    Compute(microseconds(100));
    Nap(microseconds(800));
  };
  const auto end = Clock::now() + duration;
  while (Clock::now() < end) {
    const auto serve = [&](auto&& begin, auto&& finish, auto&& work) {
      begin();
      usual();
      work();
      finish();
      Nap(microseconds(300));
    };
#define SERVE(name, work)                                                                   \
  serve([] { TRACE_DURATION_BEGIN("app", name); }, [] { TRACE_DURATION_END("app", name); }, \
        [&] { work; })
    SERVE("cart", );
    SERVE("checkout", const std::lock_guard lock(stock));
    SERVE("health", );
    SERVE("home", );
    SERVE("login", );
    SERVE("orders", ledger.Call([&] { Compute(microseconds(slow == "helper" ? 2000 : 200)); }));
    SERVE("product", );
    SERVE("reviews", RunChild(microseconds(slow == "child" ? 4000 : 500)));
    SERVE("search", Compute(microseconds(slow == "compute" ? 1500 : 200)));
    SERVE("upload", Nap(microseconds(slow == "sleep" ? 3000 : 500)));
#undef SERVE
  }
}

// Stops the threads that call Pass() while it collects.
class Collector {
 public:
  void Collect() {
    const std::lock_guard lock(world_);
    Compute(milliseconds(25));
  }
  void Pass() { const std::lock_guard lock(world_); }

 private:
  std::mutex world_;
};

// In pieces, so that no call keeps a CPU.
void WriteAndSync(int file, const std::vector<char>& data) {
  constexpr size_t kPiece = size_t{256} << 10;
  for (size_t at = 0; at < data.size(); at += kPiece) {
    const size_t size = std::min(kPiece, data.size() - at);
    if (pwrite(file, data.data() + at, size, static_cast<off_t>(at)) < 0) std::perror("pwrite");
  }
  if (fsync(file) != 0) std::perror("fsync");
}

void ServeSlow(milliseconds duration, const std::string& cause, const std::string& path) {
  std::mutex table;
  Collector collector;
  Pool pool("pool", 2);
  const auto open_file = [&](const std::string& name) {
    return open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  };
  const int journal = open_file(path + ".journal");
  const int backup = open_file(path + ".backup");
  const std::vector<char> line(4096, 'x');
  const std::vector<char> much(cause == "fsync" ? size_t{128} << 20 : 0, 'x');
  std::deque<Background> others;
  if (cause == "lock") {
    others.emplace_back("janitor", milliseconds(400), [&] {
      const std::lock_guard lock(table);
      Nap(milliseconds(30));
    });
  } else if (cause == "pool") {
    others.emplace_back("batch", milliseconds(400), [&] {
      for (int i = 0; i < 2; ++i) pool.Start([] { Nap(milliseconds(30)); });
    });
  } else if (cause == "fsync") {
    // New blocks, which the file system writes before it commits anything else.
    others.emplace_back("backup", milliseconds(1000), [&] {
      if (ftruncate(backup, 0) != 0) std::perror("ftruncate");
      WriteAndSync(backup, much);
    });
  } else if (cause == "collector") {
    others.emplace_back("collector", milliseconds(400), [&] { collector.Collect(); });
  }
  // A quota holds ordinary threads alone.
  if (cause != "compute") BecomeRealtime();
  const auto end = Clock::now() + duration;
  while (Clock::now() < end) {
    TRACE_DURATION_BEGIN("app", "request");
    Compute(microseconds(cause == "compute" ? 1500 : 100));
    if (cause == "lock") const std::lock_guard lock(table);
    if (cause == "pool") pool.Call([] { Compute(microseconds(100)); });
    if (cause == "fsync") WriteAndSync(journal, line);
    if (cause == "collector") collector.Pass();
    TRACE_DURATION_END("app", "request");
    Nap(milliseconds(2));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  Name("worker");
  fxt_provider_wait(300'000);
  const milliseconds duration(std::atoi(argv[2]));
  if (std::string(argv[1]) == "ten") {
    ServeTen(duration, argv[3]);
  } else {
    ServeSlow(duration, argv[3], argc > 4 ? argv[4] : "requests.data");
  }
  return 0;
}
