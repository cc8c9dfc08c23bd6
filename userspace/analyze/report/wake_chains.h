// SPDX-License-Identifier: BSD-2-Clause
// Chains of wakeups before the end of a wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/dense_table.h"
#include "facts/koid_index.h"
#include "facts/timeline/fact.h"

namespace analyze {

// `waker` made `woken` runnable. Without a waker an interrupt did, or the waker is not known.
struct WakeLink {
  uint64_t time = 0;
  fxt::Koid woken = 0;
  std::optional<fxt::Koid> waker;
  facts::WakeVia via = facts::WakeVia::kNone;
};

// Keeps the latest wakeup of each thread, for at most a million threads.
class WakeChains {
 public:
  static constexpr size_t kLinks = 6;

  // A wait that ends.
  void Add(const facts::Wait& wait) {
    using facts::WaitKind;
    const bool slept = wait.kind == WaitKind::kSleep || wait.kind == WaitKind::kBlocked ||
                       wait.kind == WaitKind::kStopped || wait.kind == WaitKind::kAbsent;
    if (!slept || wait.ended != facts::Bound::kSeen || wait.index == facts::kNoThread) return;
    AddWakeup(wait.index, wait.thread, wait.end, wait.woken_by(), wait.end_via);
  }
  // The wakeup that ended a sleep of a thread that has an index.
  void AddWakeup(facts::ThreadIndex index, fxt::Koid thread, uint64_t time,
                 const std::optional<fxt::Koid>& waker, facts::WakeVia via) {
    WakeLink& link = wakeups_.At(index);
    if (link.woken != thread || thread == 0) [[unlikely]] {
      if (!Enter(index, thread)) return;
    }
    link.time = time;
    link.woken = thread;
    // Assigned apart: a copy of the optional would wait for the stores that made it.
    link.via = via;
    link.waker.reset();
    if (waker) link.waker = *waker;
  }
  // The chain of a wait that was just added, latest first: the waker of the thread, the waker of
  // that one, and so on, at most kLinks. Empty for a preempted thread.
  std::vector<WakeLink> ChainOf(const facts::Wait& wait) const;

 private:
  // Adds a thread. False beyond the limit.
  bool Enter(facts::ThreadIndex index, fxt::Koid thread);

  facts::DenseTable<WakeLink> wakeups_;  // the latest of each thread, by facts::ThreadIndex
  // The index of a koid.
  facts::KoidIndex threads_{size_t{1} << 20};
  std::vector<facts::ThreadIndex> index_of_;
};

}  // namespace analyze
