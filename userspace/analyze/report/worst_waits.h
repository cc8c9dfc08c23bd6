// SPDX-License-Identifier: BSD-2-Clause
// The longest waits of a trace, and what went on around them.
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

// What a CPU did for a while.
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
  uint32_t cpu = 0;  // where it ran next, or was to run
  facts::WaitKind kind = facts::WaitKind::kWakeup;
  // Who held that CPU meanwhile, most first.
  struct Holder {
    fxt::Koid thread = 0;
    uint64_t ns = 0;
  };
  std::vector<Holder> holders;
  // Of one in D: what it waited for (facts::WaitReasons); empty where nothing says.
  std::string reason;
  // Latest first: who woke it, who woke that one, ...
  std::vector<WakeLink> chain;
  // Of all CPUs around the wait, no more than kIntervals; those of one CPU are in order.
  std::vector<Interval> around;

  uint64_t length() const { return end - begin; }
};

// Keeps the longest waits for a CPU and the longest ones in D, longest first. Memory: that of the
// last kRecent intervals of each CPU and of a wakeup for each thread.
class WorstWaits {
 public:
  static constexpr size_t kRecent = 256;
  static constexpr size_t kIntervals = 400;
  static constexpr size_t kHolders = 8;

  // Of each of the two kinds, `count` are kept.
  explicit WorstWaits(size_t count) : count_(count) {
    if (count == 0) for_cpu_.none_up_to = blocked_.none_up_to = UINT64_MAX;
  }

  void AddInterval(const Interval& interval) {
    Lane& lane = lanes_.At(interval.cpu);
    // Member by member: what copies them in one waits for the stores that have just made them.
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
  // Any wait, when it ends.
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

  // Whether a whole wait for a CPU of that length would be kept. One that would not be need not be
  // added.
  bool KeepsForCpu(uint64_t length) const { return length > for_cpu_.none_up_to; }
  // In place of a sleep that is not in D: the wakeup that ended it.
  void AddWakeup(facts::ThreadIndex index, fxt::Koid thread, uint64_t time,
                 const std::optional<fxt::Koid>& waker) {
    chains_.AddWakeup(index, thread, time, waker);
  }

  // Those in D of `thread`, to add to what is known of them: `each`: void(WorstWait&).
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
    uint64_t none_up_to = 0;  // a wait has to be longer to be kept
  };
  struct Lane {
    uint64_t count = 0;
    // As long as it is short, it grows: there may be 65,536 CPUs.
    facts::DenseTable<Interval> recent;
  };

  void Insert(List& list, const facts::Wait& wait, uint32_t cpu);
  void LookBack(WorstWait& worst) const;
  void Complete(const Interval& interval);

  size_t count_;
  List for_cpu_;
  List blocked_;
  uint64_t open_until_ = 0;        // intervals that begin before may belong to one that is kept
  facts::DenseTable<Lane> lanes_;  // by CPU
  WakeChains chains_;
};

}  // namespace analyze
