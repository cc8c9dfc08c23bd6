// SPDX-License-Identifier: BSD-2-Clause
// Who woke whom before a wait ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/dense_table.h"
#include "facts/koid_index.h"
#include "facts/timeline/fact.h"

namespace analyze {

// `waker` made `woken` runnable; without a waker an interrupt did, or nobody knows.
struct WakeLink {
  uint64_t time = 0;
  fxt::Koid woken = 0;
  std::optional<fxt::Koid> waker;
};

// Keeps the latest wakeup of each thread, of a million threads at most.
class WakeChains {
 public:
  static constexpr size_t kLinks = 6;

  // Any wait, when it ends.
  void Add(const facts::Wait& wait) {
    using facts::WaitKind;
    const bool slept = wait.kind == WaitKind::kSleep || wait.kind == WaitKind::kBlocked ||
                       wait.kind == WaitKind::kStopped || wait.kind == WaitKind::kAbsent;
    if (!slept || wait.ended != facts::Bound::kSeen || wait.index == facts::kNoThread) return;
    AddWakeup(wait.index, wait.thread, wait.end, wait.woken_by());
  }
  // The wakeup that ended a sleep of a thread that has an index.
  void AddWakeup(facts::ThreadIndex index, fxt::Koid thread, uint64_t time,
                 const std::optional<fxt::Koid>& waker) {
    WakeLink& link = wakeups_.At(index);
    if (link.woken != thread || thread == 0) [[unlikely]] {
      if (!Enter(index, thread)) return;
    }
    link.time = time;
    link.woken = thread;
    // Not copied in one, behind the two stores that made it.
    link.waker.reset();
    if (waker) link.waker = *waker;
  }
  // Of a wait that was just added, latest first: who woke the thread, who woke that one, ...; no
  // more than kLinks. A preempted thread waits for nobody that woke it: none.
  std::vector<WakeLink> ChainOf(const facts::Wait& wait) const;

 private:
  // The first one of its thread; false where there is no room for more.
  bool Enter(facts::ThreadIndex index, fxt::Koid thread);

  facts::DenseTable<WakeLink> wakeups_;  // the latest of each thread, by facts::ThreadIndex
  // To find them by koid: a number of its own, and by that the index.
  facts::KoidIndex threads_{size_t{1} << 20};
  std::vector<facts::ThreadIndex> index_of_;
};

}  // namespace analyze
