// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of system calls that wait for the disk.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

int SlowSystemCall(const Options& options) {
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("journal", [&] {
    Threads threads;
    threads.Start("writer", [&] {
      std::array<char, 4096> record{};
      for (int i = 0; Clock::now() < end; ++i) {
        Work(microseconds(50));
        if (write(file.descriptor(), record.data(), record.size()) < 0) return;
        if (options.slow || i % 100 == 0) fdatasync(file.descriptor());
        Nap(milliseconds(2));
      }
    });
    threads.Start("cleaner", [end] {
      Pace pace(milliseconds(10));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(200));
      }
    });
  });
  return 0;
}

int ColdReads(const Options& options) {
  constexpr int kPages = 2000;
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  std::array<char, 4096> page{};
  for (int i = 0; i < kPages; ++i) {
    if (write(file.descriptor(), page.data(), page.size()) != static_cast<ssize_t>(page.size()))
      return 1;
  }
  fdatasync(file.descriptor());
  // No reading ahead: each page is a read of its own.
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_RANDOM);
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("catalogue", [&] {
    Threads threads;
    threads.Start("lookup", [&] {
      for (int i = 0; Clock::now() < end; ++i) {
        // 7 has no factor in common with the number of pages: all of them come in turn.
        const off_t offset = i * 7L % kPages * 4096;
        if (options.slow) posix_fadvise(file.descriptor(), offset, 4096, POSIX_FADV_DONTNEED);
        if (pread(file.descriptor(), page.data(), page.size(), offset) < 0) return;
        Work(microseconds(50));
        Nap(milliseconds(2));
      }
    });
    threads.Start("renewal", [end] {
      Pace pace(milliseconds(10));
      while (Clock::now() < end) {
        pace.Wait();
        Work(microseconds(200));
      }
    });
  });
  return 0;
}

}  // namespace planted
