// SPDX-License-Identifier: BSD-2-Clause
// The activity of every CPU and thread at one point of a trace: the state of a Timeline.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/dense_table.h"
#include "facts/koid_index.h"
#include "facts/linux_state_tracker.h"
#include "facts/scheduling.h"
#include "facts/timeline/fact.h"
#include "fxt/record.h"
#include "schema/linux_state.h"

namespace facts {

// Memory grows with the number of threads and CPUs, not with that of records: about 100 bytes a
// thread, and no more threads than a limit.
class TimelineState {
 public:
  static constexpr size_t kMaxThreads = size_t{1} << 20;

  // Limits threads to what `shared` has room for, if it is not null; `more_bytes` are what the
  // owner keeps for each of them besides.
  explicit TimelineState(fxt::TableBudget* shared = nullptr, size_t more_bytes = 0)
      : index_(kMaxThreads, shared, 2 * sizeof(Thread) + more_bytes) {}

  struct Cpu {
    CpuActivity does = CpuActivity::kNothingSeen;
    Bound began = Bound::kSeen;
    Gap::Why why = Gap::Why::kUnseen;
    bool shown = false;            // of a gap: "(lost events)" is on the CPU
    bool unseen_declared = false;  // the next switch closes an unseen one
    ThreadIndex index = kNoThread;
    fxt::Koid thread = 0;  // that it runs, the idle thread included
    uint64_t since = 0;
    std::optional<fxt::Koid> process = std::nullopt;
    std::optional<int64_t> priority = std::nullopt;
    // Within the window: records, with the recorder's own, and ns of the facts that have ended.
    uint64_t switches = 0;
    uint64_t wakeups = 0;  // of threads that are to run here
    uint64_t busy_ns = 0;
    uint64_t idle_ns = 0;
    uint64_t unknown_ns = 0;
  };

  struct Thread {
    fxt::Koid koid = 0;
    uint64_t since = 0;  // of the wait
    // For a wait that a wakeup began: the waker; for kPreempted: the thread that took the CPU.
    fxt::Koid other = 0;
    uint32_t cpu = 0;  // the CPU that it runs on, or that the wakeup chose
    uint32_t losses = 0;
    bool running = false;
    bool idle = false;       // an idle thread: without runs and waits
    bool by_wakeup = false;  // `cpu` is that of the wakeup that began the wait
    bool has_other = false;
    bool left = false;        // `state` is the one it left its last CPU in
    bool has_object = false;  // the object of the sleep is known
    WaitKind kind = WaitKind::kUnknown;
    Bound began = Bound::kFileEdge;
    uint8_t state = 0;             // fxr_task_state
    WakeVia via = WakeVia::kNone;  // of `other`, a waker
    AssumedStates assumed = {};
  };

  // Indexed by CPU number; as long as the highest CPU of a switch, wakeup or loss.
  const std::vector<Cpu>& cpus() const { return cpus_.values(); }
  // By ThreadIndex.
  const std::vector<Thread>& threads() const { return threads_.values(); }
  const Cpu* cpu(uint32_t number) const { return number < cpus_.size() ? &cpus_[number] : nullptr; }
  // Null before the first record of the thread.
  const Thread* thread(fxt::Koid koid) const {
    const uint32_t index = index_.Find(koid);
    return index == KoidIndex::kNone ? nullptr : &threads_[index];
  }

  // The limits of waits in kThrottled, by Wait::limit. A few thousand at most; further ones are not
  // kept.
  const std::vector<CpuLimit>& limits() const { return limits_; }

  // kNoThread before the first record of the thread.
  ThreadIndex Find(fxt::Koid koid) const { return index_.Find(koid); }

  // The thread on a CPU, which may be the idle thread; empty if unknown.
  std::optional<fxt::Koid> RunningOn(uint32_t number) const;
  // The CPU that a thread runs on; empty when it runs on none or the CPU is not known. Not of idle
  // threads.
  std::optional<uint32_t> CpuOf(fxt::Koid koid) const;

  // Threads are missing, since there was no room for them.
  bool is_full() const { return index_.is_full(); }

  // The recording leaves out switches: by its own filters, or `fxt trim` did.
  bool filtered() const { return filtered_; }
  // The window: from the session instant or the first switch, wakeup or loss to the latest of
  // those.
  uint64_t begin() const { return begin_; }
  uint64_t latest() const { return latest_; }

 protected:
  // Member by member: a copy of 16 bytes would wait for the two preceding stores.
  template <typename Value>
  static void Assign(std::optional<Value>& to, const std::optional<Value>& from) {
    if (from) {
      to = *from;
    } else {
      to.reset();
    }
  }

  // 65,536: CPU numbers of the format have 16 bits.
  Cpu& CpuAt(uint32_t number) {
    if (number >= cpus_.size()) [[unlikely]] {
      cpus_.At(number, Cpu{.since = begin_});
    }
    return cpus_[number];
  }
  ThreadIndex IndexOf(fxt::Koid koid) {
    const uint32_t index = index_.Add(koid);
    if (index >= threads_.size() && index != KoidIndex::kNone) [[unlikely]] {
      threads_.At(index, {.koid = koid, .since = begin_});
    }
    return index;
  }
  Thread* ThreadAt(ThreadIndex index) { return index == kNoThread ? nullptr : &threads_[index]; }

  // Time passes.
  void Reach(uint64_t time) {
    if (!begun_) [[unlikely]] {
      begun_ = true;
      begin_ = latest_ = time;
    }
    if (time > latest_) latest_ = time;
  }
  void BeginWait(Thread& thread, WaitKind kind, uint64_t time, Bound began) {
    thread.kind = kind;
    thread.since = time;
    thread.began = began;
    thread.by_wakeup = false;
    thread.has_other = false;
    thread.running = false;
    thread.left = false;
    thread.has_object = false;
    // One less than the count during a loss, so that it differs from any later count.
    thread.losses = losses_ - (lossy_cpus_ != 0 ? 1 : 0);
  }
  // The thread leaves its CPU in `state`, to `incoming`, or to idle.
  [[gnu::always_inline]] void BeginWaitIn(Thread& thread, fxr_task_state state, uint64_t time,
                                          bool has_incoming, fxt::Koid incoming) {
    const WaitKind kind = KindOf(state);
    BeginWait(thread, kind, time, Bound::kSeen);
    thread.left = true;
    thread.state = static_cast<uint8_t>(state);
    thread.has_other = kind == WaitKind::kPreempted && has_incoming;
    thread.other = incoming;
  }
  [[gnu::always_inline]] void BeginWaitForCpu(Thread& thread, const Wakeup& wakeup) {
    BeginWait(thread, WaitKind::kWakeup, wakeup.time, Bound::kSeen);
    thread.by_wakeup = true;
    thread.cpu = wakeup.cpu;
    thread.has_other = wakeup.waker.has_value();
    thread.other = wakeup.waker.value_or(0);
    thread.via = wakeup.via;
  }
  // The wait that ends at `time`, without the record that ends it.
  Wait EndOfWait(const Thread& thread, ThreadIndex index, uint64_t time, Bound ended) const {
    Wait wait{.index = index,
              .thread = thread.koid,
              .kind = thread.kind,
              .begin = thread.since,
              .end = std::max(time, thread.since),
              .began = thread.began,
              .ended = ended,
              .touches_loss = thread.losses != losses_};
    if (thread.left) wait.state = static_cast<fxr_task_state>(thread.state);
    if (thread.by_wakeup) {
      if (thread.has_other) {
        wait.waker = thread.other;
        wait.via = thread.via;
      }
      wait.target_cpu = thread.cpu;
    } else if (thread.has_other) {
      wait.preemptor = thread.other;
    }
    return wait;
  }
  // A wait that a record began and without a loss since.
  bool IsWhole(const Thread& thread) const {
    return thread.began == Bound::kSeen && thread.losses == losses_;
  }
  static bool IsRunnable(WaitKind kind) {
    return kind == WaitKind::kWakeup || kind == WaitKind::kPreempted;
  }
  // Its index in limits(); kNoLimit beyond the number that is kept.
  uint32_t KeepLimit(CpuLimit limit);
  static WaitKind KindOf(fxr_task_state state) {
    static constexpr std::array<WaitKind, FXR_STATE_THROTTLED + 1> kKinds = [] {
      std::array<WaitKind, FXR_STATE_THROTTLED + 1> kinds{};
      kinds.fill(WaitKind::kSleep);
      kinds[FXR_STATE_RUNNABLE] = kinds[FXR_STATE_PREEMPTED] = WaitKind::kPreempted;
      kinds[FXR_STATE_WOKEN] = WaitKind::kWakeup;
      kinds[FXR_STATE_THROTTLED] = WaitKind::kThrottled;
      kinds[FXR_STATE_UNINTERRUPTIBLE] = WaitKind::kBlocked;
      kinds[FXR_STATE_STOPPED] = kinds[FXR_STATE_TRACED] = WaitKind::kStopped;
      kinds[FXR_STATE_DEAD] = kinds[FXR_STATE_ZOMBIE] = WaitKind::kAbsent;
      return kinds;
    }();
    return kKinds[state];
  }
  // The kernel state behind a switch; empty for states that no outgoing thread can have.
  static std::optional<fxr_task_state> StateOf(const Thread* thread, fxt::ThreadState state) {
    if (!AssumedStates::IsOutgoing(state)) return std::nullopt;
    return (thread == nullptr ? AssumedStates() : thread->assumed).Of(state);
  }

  bool begun_ = false;
  bool filtered_ = false;
  uint64_t begin_ = 0;
  uint64_t latest_ = 0;
  uint32_t losses_ = 0;      // declared so far
  uint32_t lossy_cpus_ = 0;  // CPUs that are in a gap by a loss
  DenseTable<Cpu> cpus_;
  DenseTable<Thread> threads_;

 private:
  static constexpr size_t kMaxLimits = 4096;

  std::vector<CpuLimit> limits_;
  KoidIndex index_;
};

}  // namespace facts
