// SPDX-License-Identifier: BSD-2-Clause
// System calls that wait for a disk.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

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
    threads.Start("cleaner", [end] { WorkAtAPace(end, milliseconds(10), microseconds(200)); });
  });
  return 0;
}

int ColdReads(const Options& options) {
  constexpr int kPages = 2000;
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  std::array<char, 4096> page{};
  if (!file.Fill(kPages * page.size())) return 1;
  // Without readahead each page is a request of its own.
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_RANDOM);
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("catalogue", [&] {
    Threads threads;
    threads.Start("lookup", [&] {
      for (int i = 0; Clock::now() < end; ++i) {
        // 7 and the number of pages have no common factor, so the loop visits all pages.
        const off_t offset = i * 7L % kPages * 4096;
        if (options.slow) posix_fadvise(file.descriptor(), offset, 4096, POSIX_FADV_DONTNEED);
        if (pread(file.descriptor(), page.data(), page.size(), offset) < 0) return;
        Work(microseconds(50));
        Nap(milliseconds(2));
      }
    });
    threads.Start("renewal", [end] { WorkAtAPace(end, milliseconds(10), microseconds(200)); });
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
    threads.StartMany("delivery-", 2, [&](int) {
      std::array<char, 2048> mail{};
      for (int n = 1; Clock::now() < end; ++n) {
        Work(microseconds(80));
        if (write(file.descriptor(), mail.data(), mail.size()) < 0) return;
        if (options.slow && n % 40 == 0) fsync(file.descriptor());
        Nap(milliseconds(2));
      }
    });
  });
  return 0;
}

int DirectReads(const Options& options) {
  constexpr size_t kBlock = 16384;
  constexpr int kBlocks = 400;
  const NamelessFile made(options.folder);
  void* block = nullptr;
  if (!made.good() || !made.Fill(kBlock * kBlocks) || posix_memalign(&block, 4096, kBlock) != 0) {
    return 1;
  }
  const int file = made.OpenAgain(O_RDONLY | (options.slow ? O_DIRECT : 0));
  if (file < 0) {
    perror("planted: O_DIRECT");
    return 1;
  }
  {
    const auto end = Clock::now() + options.length;
    Processes processes;
    processes.Start("archive", [&] {
      Threads threads;
      threads.Start("restore", [&] {
        for (int64_t i = 0; Clock::now() < end; ++i) {
          if (pread(file, block, kBlock, i * 7 % kBlocks * static_cast<int64_t>(kBlock)) < 0)
            return;
          Work(microseconds(100));
          Nap(milliseconds(3));
        }
      });
    });
  }
  close(file);
  free(block);
  return 0;
}

int Checkpoint(const Options& options) {
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("table", [&] {
    std::mutex mutex;
    Threads threads;
    threads.Start("checkpointer", [&] {
      const std::string bytes(size_t{256} << 10, 'x');
      while (Clock::now() < end) {
        Nap(milliseconds(60));
        const std::lock_guard lock(mutex);
        if (pwrite(file.descriptor(), bytes.data(), bytes.size(), 0) < 0) return;
        if (options.slow) fdatasync(file.descriptor());
      }
    });
    threads.StartMany("insert-", 3, [&](int) {
      while (Clock::now() < end) {
        Nap(milliseconds(2));
        const std::lock_guard lock(mutex);
        Work(microseconds(30));
      }
    });
  });
  return 0;
}

int SyncedLog(const Options& options) {
  const NamelessFile file(options.folder);
  if (!file.good()) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("portal", [&] {
    Queue lines(4);
    Threads all;
    all.Start("log-writer", [&] {
      const std::string line(200, 'x');
      int item = 0;
      while (lines.Take(&item)) {
        if (write(file.descriptor(), line.data(), line.size()) < 0) return;
        if (options.slow) fdatasync(file.descriptor());
      }
    });
    {
      Threads threads;
      threads.StartMany("visit-", 3, [&](int i) {
        while (Clock::now() < end) {
          Nap(milliseconds(2));
          Work(microseconds(50));
          lines.Put(i);
        }
      });
    }
    lines.Shut();
  });
  return 0;
}

int SmallerCache(const Options& options) {
  constexpr size_t kBytes = size_t{24} << 20;
  constexpr size_t kPage = 4096;
  const NamelessFile file(options.folder);
  if (!file.good() || !file.Fill(kBytes)) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("lookup", [&] {
    std::vector<char> page(kPage);
    uint64_t at = 1;
    while (Clock::now() < end) {
      Nap(milliseconds(3));
      at = at * 6364136223846793005U + 1442695040888963407U;
      const auto offset = static_cast<off_t>((at >> 33) % (kBytes / kPage) * kPage);
      if (pread(file.descriptor(), page.data(), kPage, offset) < 0) return;
      Work(microseconds(50));
    }
  });
  // Drops every second part of 2 MiB from the page cache, as memory pressure does.
  processes.Start("pressure", [&] {
    while (Clock::now() < end) {
      Nap(milliseconds(20));
      if (!options.slow) continue;
      for (off_t from = 0; from < static_cast<off_t>(kBytes); from += off_t{4} << 20) {
        posix_fadvise(file.descriptor(), from, off_t{2} << 20, POSIX_FADV_DONTNEED);
      }
    }
  });
  return 0;
}

int NoReadAhead(const Options& options) {
  constexpr size_t kPart = 16384;
  constexpr int kParts = 2000;
  const NamelessFile file(options.folder);
  if (!file.good() || !file.Fill(kPart * kParts)) return 1;
  std::vector<char> part(kPart);
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("replay", [&] {
    posix_fadvise(file.descriptor(), 0, 0, options.slow ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL);
    for (int at = 0; Clock::now() < end; at = (at + 1) % kParts) {
      // Each pass over the file starts with an empty page cache.
      if (at == 0) posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
      if (pread(file.descriptor(), part.data(), part.size(), static_cast<off_t>(kPart) * at) < 0) {
        return;
      }
      Work(microseconds(50));
      Nap(milliseconds(2));
    }
  });
  return 0;
}

int DiskNeighbour(const Options& options) {
  constexpr size_t kRecord = 4096;
  const size_t archived = options.slow ? 4 << 20 : 64 << 10;
  const NamelessFile journal(options.folder);
  const NamelessFile archive(options.folder);
  if (!journal.good() || !journal.Fill(kRecord)) return 1;
  if (!archive.good() || !archive.Fill(archived)) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("journal", [&] {
    const std::vector<char> record(kRecord, 'j');
    while (Clock::now() < end) {
      Nap(milliseconds(4));
      Work(microseconds(50));
      if (pwrite(journal.descriptor(), record.data(), kRecord, 0) < 0) return;
      fdatasync(journal.descriptor());
    }
  });
  processes.Start("archive", [&] {
    const std::vector<char> all(archived, 'a');
    while (Clock::now() < end) {
      Nap(milliseconds(options.slow ? 10 : 80));
      if (pwrite(archive.descriptor(), all.data(), archived, 0) < 0) return;
      fdatasync(archive.descriptor());
    }
  });
  return 0;
}

int GroupCommit(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("ledger", [&] {
    std::mutex mutex;
    std::condition_variable written;
    uint64_t commits = 0;
    Threads threads;
    threads.StartMany("entry-", 3, [&](int) {
      while (Clock::now() < end) {
        Nap(milliseconds(3));
        Work(microseconds(50));
        std::unique_lock<std::mutex> lock(mutex);
        const uint64_t before = commits;
        written.wait(lock, [&] { return commits > before; });
      }
    });
    threads.Start("commit", [&] {
      Pace pace(milliseconds(options.slow ? 14 : 2));
      while (Clock::now() < end + milliseconds(50)) {
        pace.Wait();
        Work(microseconds(30));
        const std::lock_guard<std::mutex> lock(mutex);
        ++commits;
        written.notify_all();
      }
    });
  });
  return 0;
}

}  // namespace

std::vector<Scenario> DiskScenarios() {
  return {
      {"slow_system_call", "fdatasync after each record instead of each hundredth", SlowSystemCall},
      {"cold_reads", "the pages that are read are not in the page cache", ColdReads},
      {"rare_fsync", "one item in forty waits for fsync", RareFsync},
      {"direct_reads", "a file is read with O_DIRECT", DirectReads},
      {"checkpoint", "a lock is held during fdatasync", Checkpoint},
      {"synced_log", "the thread that writes the log calls fdatasync", SyncedLog},
      {"smaller_cache", "half of a file is dropped from the page cache repeatedly", SmallerCache},
      {"no_readahead", "a file is read in sequence without readahead", NoReadAhead},
      {"disk_neighbour", "another process writes 4 MiB at a time instead of 64 KiB", DiskNeighbour},
      {"group_commit", "a commit happens every 14 ms instead of every 2 ms", GroupCommit},
  };
}

}  // namespace planted
