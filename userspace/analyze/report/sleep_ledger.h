// SPDX-License-Identifier: BSD-2-Clause
// Sums up sleeps whose object is known: who waits for whom and what, and for which locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "facts/task_names.h"
#include "facts/timeline/fact.h"
#include "fxt/text_map.h"

namespace analyze {

class SleepLedger {
 public:
  // Rows beyond these are counted together, by left_out().
  static constexpr size_t kMaxRows = 8192;
  static constexpr size_t kMaxLocks = 4096;
  // Waiters and holders of a lock beyond these are not counted.
  static constexpr size_t kMaxThreads = 256;

  struct Times {
    uint64_t count = 0;
    uint64_t ns = 0;
    uint64_t longest_ns = 0;
    uint64_t longest_begin = 0;  // ns
    void Add(const facts::Wait& wait);
  };
  // Names as of the first such sleep.
  struct Sleep {
    std::string process;
    std::string thread;
    std::string syscall;
    std::string kind;
    std::string object;
    std::string whom;  // process of the peer, or else of the waker; empty: an interrupt
    Times times;
  };
  struct Lock {
    std::string process;  // of the first waiter
    std::string kind;
    std::string object;
    std::set<fxt::Koid> waiters;
    std::map<fxt::Koid, uint64_t>
        holders;  // threads, with the time that others waited for them, ns
    Times times;
  };

  // `names` are those of the time at which the wait ends. Waits without an object are passed over.
  void Add(const facts::Wait& wait, const facts::TaskNames& names);

  // Longest time first.
  std::vector<Sleep> Sleeps() const;
  // Locks of which a holder is known, longest time first.
  std::vector<Lock> Locks() const;
  const Times& left_out() const { return left_out_; }

 private:
  void AddLock(const facts::Wait& wait, const facts::TaskNames& names);

  fxt::TextMap<Sleep> sleeps_;  // by its texts
  // By process and object: an address means something in one process only.
  std::map<std::tuple<fxt::Koid, std::string>, Lock> locks_;
  Times left_out_;
};

}  // namespace analyze
