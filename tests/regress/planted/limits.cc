// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of settings that leave a program less of the machine than it had.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

bool WriteFile(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

// A control group of CPU time, of either version of them, for the life of this object.
class CpuQuota {
 public:
  // So much of each 100 ms.
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
  // The calling process, with the threads that it makes from now on.
  bool Enter() const { return WriteFile(folder_ + "/cgroup.procs", "0"); }

 private:
  std::string folder_;
  bool good_ = true;
};

}  // namespace

int Quota(const Options& options) {
  const CpuQuota quota(options.slow ? 200 : 1800);
  if (!quota.good()) {
    fprintf(stderr, "planted: no control group can be made\n");
    return 1;
  }
  // It is empty, and can be removed, when they have ended.
  Processes processes;
  processes.Start("billing", [&] {
    if (!quota.Enter()) return;
    const auto end = Clock::now() + options.length;
    Threads threads;
    for (int i = 0; i < 3; ++i) {
      threads.Start("invoice-" + std::to_string(i), [end] {
        Pace pace(milliseconds(10));
        while (Clock::now() < end) {
          pace.Wait();
          Work(microseconds(1400));
        }
      });
    }
  });
  return 0;
}

int Niceness(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("encoder", [end] {
    Threads threads;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      threads.Start("frame-" + std::to_string(i), [end] {
        while (Clock::now() < end) {
          Work(microseconds(3000));
          Nap(microseconds(500));
        }
      });
    }
  });
  processes.Start("audio", [&] {
    if (options.slow) setpriority(PRIO_PROCESS, 0, 15);
    Threads threads;
    threads.Start("mixer", [end] {
      Pace pace(milliseconds(4));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(700));
      }
    });
  });
  return 0;
}

int PageFaults(const Options& options) {
  constexpr size_t kBytes = size_t{2} << 20;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("image", [&] {
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.Start("scaler-" + std::to_string(i), [&] {
        void* const memory =
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        madvise(memory, kBytes, MADV_NOHUGEPAGE);
        auto* const bytes = static_cast<volatile char*>(memory);
        Pace pace(milliseconds(10));
        while (Clock::now() < end) {
          pace.Wait();
          for (size_t at = 0; at < kBytes; at += 4096) bytes[at] = 1;
          Work(microseconds(300));
          if (options.slow) madvise(memory, kBytes, MADV_DONTNEED);
        }
        munmap(memory, kBytes);
      });
    }
  });
  return 0;
}

int TimerSlack(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("player", [&] {
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.Start("voice-" + std::to_string(i), [&] {
        if (options.slow) prctl(PR_SET_TIMERSLACK, 8'000'000);
        while (Clock::now() < end) {
          Nap(milliseconds(2));
          Work(microseconds(100));
        }
      });
    }
  });
  return 0;
}

}  // namespace planted
