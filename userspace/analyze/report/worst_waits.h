// SPDX-License-Identifier: BSD-2-Clause
// The longest waits of a trace, with the activity around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/report/wake_chains.h"
#include "facts/dense_table.h"
#include "facts/timeline/fact.h"

namespace analyze {

// An interval of a CPU.
struct Interval {
  enum class What : uint8_t { kRun, kIdle, kUnknown };
  uint64_t begin = 0;
  uint64_t end = 0;
  fxt::Koid thread = 0;  // of a run
  uint32_t cpu = 0;
  What what = What::kUnknown;
};

struct WorstWait {
  uint64_t begin = 0;
  uint64_t end = 0;
  fxt::Koid thread = 0;
  uint32_t cpu = 0;  // that it ran on next, or was to run on
  facts::WaitKind kind = facts::WaitKind::kWakeup;
  // Threads that ran on that CPU in the wait, longest first.
  struct Holder {
    fxt::Koid thread = 0;
    uint64_t ns = 0;
  };
  std::vector<Holder> holders;
  // The reason of a wait in D (facts::WaitReasons); empty if not known.
  std::string reason;
  std::optional<facts::WaitObject> object;  // the object of the wait, if known
  bool has_function = false;                // `reason` has the function that the thread slept in
  // Latest wakeup first.
  std::vector<WakeLink> chain;
  // Intervals of all CPUs around the wait, at most kIntervals, in order for each CPU.
  std::vector<Interval> around;

  uint64_t length() const { return end - begin; }
};

// Keeps the longest waits for a CPU and in D, longest first. Its memory holds the last kRecent
// intervals of each CPU and a wakeup of each thread.
class WorstWaits {
 public:
  static constexpr size_t kRecent = 256;
  static constexpr size_t kIntervals = 400;
  static constexpr size_t kHolders = 8;

  // Keeps `count` waits of each of the two kinds.
  explicit WorstWaits(size_t count) : count_(count) {
    if (count == 0) for_cpu_.none_up_to = blocked_.none_up_to = UINT64_MAX;
  }

  void AddInterval(const Interval& interval) {
    Lane& lane = lanes_.At(interval.cpu);
    // Member by member: a copy of the whole waits for the stores that have just made it.
    Interval& place = lane.recent.At(lane.count % kRecent);
    place.begin = interval.begin;
    place.end = interval.end;
    place.thread = interval.thread;
    place.cpu = interval.cpu;
    place.what = interval.what;
    ++lane.count;
    if (interval.begin < open_until_) [[unlikely]] {
      Complete(interval);
    }
  }
  // A wait that ends.
  void AddWait(const facts::Wait& wait) {
    chains_.Add(wait);
    const bool for_cpu = wait.is_runnable();
    const auto cpu = wait.run_cpu();
    if (for_cpu ? !cpu : wait.kind != facts::WaitKind::kBlocked) return;
    List& list = for_cpu ? for_cpu_ : blocked_;
    if (wait.end - wait.begin <= list.none_up_to) [[likely]] {
      return;
    }
    const bool whole = wait.began == facts::Bound::kSeen && wait.ended == facts::Bound::kSeen &&
                       !wait.touches_loss;
    if (whole) Insert(list, wait, cpu.value_or(0));
  }

  // Whether a complete wait for a CPU of that length is kept. Others need not be added.
  bool KeepsForCpu(uint64_t length) const { return length > for_cpu_.none_up_to; }
  // Instead of a sleep that is not in D: the wakeup that ended it.
  void AddWakeup(facts::ThreadIndex index, fxt::Koid thread, uint64_t time,
                 const std::optional<fxt::Koid>& waker, facts::WakeVia via) {
    chains_.AddWakeup(index, thread, time, waker, via);
  }

  // Waits in D of `thread`, to complete them. `each`: void(WorstWait&).
  template <typename Each>
  void ForBlocked(fxt::Koid thread, Each&& each) {
    for (WorstWait& wait : blocked_.waits) {
      if (wait.thread == thread) each(wait);
    }
  }

  const std::vector<WorstWait>& for_cpu() const { return for_cpu_.waits; }
  const std::vector<WorstWait>& blocked() const { return blocked_.waits; }

 private:
  struct List {
    std::vector<WorstWait> waits;
    uint64_t none_up_to = 0;  // only longer waits are kept
  };
  struct Lane {
    uint64_t count = 0;
    // It grows while it is short: there may be 65,536 CPUs.
    facts::DenseTable<Interval> recent;
  };

  void Insert(List& list, const facts::Wait& wait, uint32_t cpu);
  void LookBack(WorstWait& worst) const;
  void Complete(const Interval& interval);

  size_t count_;
  List for_cpu_;
  List blocked_;
  uint64_t open_until_ = 0;        // intervals that begin earlier may belong to a kept wait
  facts::DenseTable<Lane> lanes_;  // by CPU
  WakeChains chains_;
};

}  // namespace analyze
