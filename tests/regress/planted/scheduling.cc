// SPDX-License-Identifier: BSD-2-Clause
// Threads that get the CPU later, elsewhere or less often.
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

void WorkAllTheTime(Clock::time_point end) {
  while (Clock::now() < end) Work(microseconds(100));
}

bool WriteFile(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

// A control group (version 1 or 2) with a CPU bandwidth limit. The destructor removes it.
class CpuQuota {
 public:
  // Allows `per_mille` tenths of a percent of one CPU per period of 100 ms.
  explicit CpuQuota(int per_mille) {
    const std::string name = "/planted-" + std::to_string(getpid());
    const std::string us = std::to_string(per_mille * 100);
    folder_ = "/sys/fs/cgroup" + name;
    if (mkdir(folder_.c_str(), 0755) == 0 && WriteFile(folder_ + "/cpu.max", us + " 100000")) {
      return;
    }
    rmdir(folder_.c_str());
    folder_ = "/sys/fs/cgroup/cpu" + name;
    good_ = mkdir(folder_.c_str(), 0755) == 0 && WriteFile(folder_ + "/cpu.cfs_quota_us", us);
  }
  CpuQuota(const CpuQuota&) = delete;
  CpuQuota& operator=(const CpuQuota&) = delete;
  ~CpuQuota() { rmdir(folder_.c_str()); }
  bool good() const { return good_; }
  // Moves the calling process into the group.
  bool Enter() const { return WriteFile(folder_ + "/cgroup.procs", "0"); }

 private:
  std::string folder_;
  bool good_ = true;
};

void RunOn(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

int CpuHog(const Options& options) {
  Processes processes;
  processes.Start("media", [&] {
    const auto end = Clock::now() + options.length;
    Threads threads;
    threads.StartMany("decoder-", 3,
                      [&](int) { WorkAtAPace(end, milliseconds(5), microseconds(400)); });
    threads.Start("indexer", [end, &options] {
      if (options.slow) {
        WorkAllTheTime(end);
      } else {
        WorkAtAPace(end, milliseconds(50), milliseconds(1));
      }
    });
  });
  return 0;
}

int NoisyNeighbour(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("api", [end] {
    Threads threads;
    threads.StartMany("handler-", 3,
                      [&](int) { WorkAtAPace(end, milliseconds(3), microseconds(200)); });
  });
  const unsigned cpus = std::thread::hardware_concurrency();
  for (unsigned i = 0; i < cpus; ++i) {
    processes.Start("backup", [end, &options] {
      if (options.slow) {
        WorkAllTheTime(end);
      } else {
        WorkAtAPace(end, milliseconds(100), milliseconds(1));
      }
    });
  }
  return 0;
}

int Pinning(const Options& options) {
  Processes processes;
  processes.Start("render", [&] {
    if (options.slow) PinToLastCpu();
    const auto end = Clock::now() + options.length;
    Threads threads;
    // One CPU has enough time for all threads, but they wait for each other.
    threads.StartMany("tile-", 4,
                      [&](int) { WorkAtAPace(end, milliseconds(20), microseconds(5500)); });
  });
  return 0;
}

int Quota(const Options& options) {
  const CpuQuota quota(options.slow ? 200 : 1800);
  if (!quota.good()) {
    fprintf(stderr, "planted: no control group can be made\n");
    return 1;
  }
  // The processes end before the group is removed.
  Processes processes;
  processes.Start("billing", [&] {
    if (!quota.Enter()) return;
    const auto end = Clock::now() + options.length;
    Threads threads;
    threads.StartMany("invoice-", 3,
                      [&](int) { WorkAtAPace(end, milliseconds(10), microseconds(1400)); });
  });
  return 0;
}

int Niceness(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("encoder", [end] {
    Threads threads;
    threads.StartMany("frame-", std::thread::hardware_concurrency(), [&](int) {
      while (Clock::now() < end) {
        Work(microseconds(3000));
        Nap(microseconds(500));
      }
    });
  });
  processes.Start("audio", [&] {
    if (options.slow) setpriority(PRIO_PROCESS, 0, 15);
    Threads threads;
    threads.Start("mixer", [end] { WorkAtAPace(end, milliseconds(4), microseconds(700)); });
  });
  return 0;
}

int TimerSlack(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("player", [&] {
    Threads threads;
    threads.StartMany("voice-", 2, [&](int) {
      if (options.slow) prctl(PR_SET_TIMERSLACK, 8'000'000);
      while (Clock::now() < end) {
        Nap(milliseconds(2));
        Work(microseconds(100));
      }
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
      WorkAtAPace(end, milliseconds(5), microseconds(300));
    });
  });
  return 0;
}

int RealTimeNeighbour(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("radio", [&] {
    PinToLastCpu();
    MakeRealTime(40);
    while (Clock::now() < end) {
      Nap(milliseconds(20));
      Work(microseconds(options.slow ? 9000 : 300));
    }
  });
  processes.Start("console", [&] {
    PinToLastCpu();
    Threads threads;
    threads.Start("repaint", [&] { WorkAtAPace(end, milliseconds(5), microseconds(500)); });
  });
  return 0;
}

int Stopped(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  const pid_t server = processes.Start(
      "sampled", [&] { Serve(requests, answers, [&](int) { Work(microseconds(100)); }); });
  processes.Start("asker", [&] { RequestUntil(end, milliseconds(2), requests, answers); });
  processes.Start("debugger", [&] {
    while (Clock::now() < end) {
      Nap(milliseconds(150));
      if (!options.slow) continue;
      kill(server, SIGSTOP);
      Nap(milliseconds(30));
      kill(server, SIGCONT);
    }
  });
  return 0;
}

int MoreThreadsSameWork(const Options& options) {
  const auto end = Clock::now() + options.length;
  const int threads_there = options.slow ? 8 : 4;
  Processes processes;
  processes.Start("encoder", [&] {
    Threads threads;
    threads.StartMany("slice-", threads_there, [&](int) {
      WorkAtAPace(end, milliseconds(2 * threads_there), microseconds(300));
    });
  });
  return 0;
}

int Bouncing(const Options& options) {
  const auto end = Clock::now() + options.length;
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  Processes processes;
  processes.Start("tour", [&] {
    Threads threads;
    threads.Start("guide", [&] {
      int turn = 0;
      while (Clock::now() < end) {
        Nap(microseconds(700));
        for (int i = 0; i < 2; ++i) {
          Work(microseconds(40));
          // The thread follows its data from CPU to CPU.
          if (options.slow) RunOn(++turn % cpus);
        }
      }
    });
  });
  return 0;
}

int OtherOrder(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  const auto start = [&](int number) {
    processes.Start(number == 0 ? "baker" : "butcher", [&, number] {
      Threads threads;
      threads.StartMany("hand-", 2, [&](int) {
        WorkAtAPace(end, milliseconds(number == 0 ? 3 : 7), microseconds(number == 0 ? 150 : 900));
      });
    });
  };
  start(options.slow ? 1 : 0);
  start(options.slow ? 0 : 1);
  return 0;
}

int AlignedTimers(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("meters", [&] {
    constexpr int kMeters = 12;
    constexpr microseconds kPeriod(20'000);
    Threads threads;
    threads.StartMany("meter-", kMeters, [&](int i) {
      // The base form spreads the timers over the period.
      if (!options.slow) Nap(kPeriod * i / kMeters);
      WorkAtAPace(end, kPeriod, microseconds(400));
    });
  });
  return 0;
}

int GracePeriods(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  processes.Start("registry", [&] {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    const int barrier = options.slow ? MEMBARRIER_CMD_GLOBAL : MEMBARRIER_CMD_PRIVATE_EXPEDITED;
    int request = 0;
    while (requests.Receive(&request)) {
      Work(microseconds(80));
      // The old version is freed after a grace period.
      if (syscall(SYS_membarrier, barrier, 0, 0) != 0) {
        perror("planted: membarrier");
        return;
      }
      answers.Send(request);
    }
  });
  processes.Start("tenant", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(10));
      Work(microseconds(30));
      if (!requests.Send(0) || !answers.Receive(&answer)) break;
    }
    requests.Shut();
  });
  return 0;
}

int Bursts(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel requests, answers;
  Processes processes;
  processes.Start("front",
                  [&] { Serve(requests, answers, [&](int) { Work(microseconds(200)); }); });
  processes.Start("second", [&] { RequestUntil(end, milliseconds(4), requests, answers); });
  processes.Start("reports", [&] {
    Threads threads;
    threads.StartMany("query-", 2, [&](int) {
      WorkAtAPace(end, milliseconds(500), milliseconds(options.slow ? 60 : 5));
    });
  });
  return 0;
}

}  // namespace

std::vector<Scenario> SchedulingScenarios() {
  return {
      {"cpu_hog", "a background thread computes all the time", CpuHog},
      {"noisy_neighbour", "another program computes on all CPUs", NoisyNeighbour},
      {"pinning", "all threads are pinned to one CPU", Pinning},
      {"quota", "a control group grants less CPU time than the program needs", Quota},
      {"niceness", "the thread with deadlines is nice", Niceness},
      {"timer_slack", "timers may fire 8 ms late", TimerSlack},
      {"one_cpu", "a thread is pinned to the CPU of a busy thread", OneCpuOfAThread},
      {"real_time_neighbour", "a real-time thread takes 9 ms of 20 instead of 0.3",
       RealTimeNeighbour},
      {"stopped", "a debugger stops the server for 30 ms at a time", Stopped},
      {"more_threads", "nothing: eight threads share the work of four", MoreThreadsSameWork},
      {"bouncing", "a thread changes its CPU for each item", Bouncing},
      {"other_order", "nothing: two processes start in another order", OtherOrder},
      {"aligned_timers", "twelve timers fire at the same time", AlignedTimers},
      {"grace_periods", "each change waits until all CPUs have switched", GracePeriods},
      {"bursts", "twice a second two threads compute for 60 ms instead of 5 ms", Bursts},
  };
}

}  // namespace planted
