// SPDX-License-Identifier: BSD-2-Clause
// What every CPU and every thread does at one point of a trace: what a Timeline keeps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/dense_table.h"
#include "facts/koid_index.h"
#include "facts/scheduling.h"
#include "facts/timeline/fact.h"
#include "fxt/record.h"
#include "schema/linux_state.h"

namespace facts {

// Memory grows with the number of threads and CPUs, not with that of records: 96 bytes a thread at
// most, and no more threads than a limit.
class TimelineState {
 public:
  static constexpr size_t kMaxThreads = size_t{1} << 20;

  struct Cpu {
    enum class Does : uint8_t {
      kNothingSeen,  // no switch and no loss yet
      kRun,
      kIdle,
      kGap,  // not known
    };
    Does does = Does::kNothingSeen;
    Bound began = Bound::kSeen;
    Gap::Why why = Gap::Why::kUnseen;
    bool shown = false;        // of a gap: "(lost events)" is on the CPU
    bool unseen_told = false;  // the next switch closes an unseen one
    ThreadIndex index = kNoThread;
    fxt::Koid thread = 0;  // that it runs, the idle thread included
    uint64_t since = 0;
    std::optional<fxt::Koid> process = std::nullopt;
    std::optional<int64_t> priority = std::nullopt;
    uint64_t switches = 0;  // records, the recorder's own included
  };

  // The kernel states behind the format's, where nothing else was said. Nothing is behind running.
  static constexpr std::array<uint8_t, 6> kUsual = [] {
    std::array<uint8_t, 6> usual{};
    for (size_t state = 0; state < usual.size(); ++state) {
      usual[state] = static_cast<uint8_t>(
          schema::UsualState(static_cast<fxt::ThreadState>(state)).value_or(FXR_STATE_RUNNABLE));
    }
    return usual;
  }();

  struct Thread {
    fxt::Koid koid = 0;
    uint64_t since = 0;  // of the wait
    fxt::Koid waker = 0;
    uint32_t cpu = 0;  // where it runs, or is to run
    uint32_t losses = 0;
    bool running = false;
    bool idle = false;       // an idle thread: without runs and waits
    bool by_wakeup = false;  // `cpu` is that of the wakeup that began the wait
    bool has_waker = false;
    bool left = false;  // `state` is the one it left its last CPU in
    WaitKind kind = WaitKind::kUnknown;
    Bound began = Bound::kFileEdge;
    uint8_t state = 0;  // fxr_task_state
    // What a reader assumes for the format's states, as fxr_task_state; see LinuxStateTracker.
    std::array<uint8_t, 6> assumed = kUsual;
  };

  // Indexed by CPU number; as long as the highest CPU that had a switch or a loss.
  const std::vector<Cpu>& cpus() const { return cpus_.values(); }
  // By ThreadIndex.
  const std::vector<Thread>& threads() const { return threads_.values(); }
  const Cpu* cpu(uint32_t number) const { return number < cpus_.size() ? &cpus_[number] : nullptr; }
  // Null before anything was seen of it.
  const Thread* thread(fxt::Koid koid) const {
    const uint32_t index = index_.Find(koid);
    return index == KoidIndex::kNone ? nullptr : &threads_[index];
  }

  // kNoThread before anything was seen of it.
  ThreadIndex Find(fxt::Koid koid) const { return index_.Find(koid); }

  // The thread on a CPU, the idle thread included; empty where it is not known.
  std::optional<fxt::Koid> RunningOn(uint32_t number) const;
  // The CPU that a thread runs on; empty when it runs on none or nobody knows. Not of idle threads.
  std::optional<uint32_t> CpuOf(fxt::Koid koid) const;

  // The recording leaves out switches: by its own filters, or `fxt trim` did.
  bool filtered() const { return filtered_; }
  // Of the window: set by the session instant or the first switch, wakeup or loss; and the latest
  // of those.
  uint64_t begin() const { return begin_; }
  uint64_t latest() const { return latest_; }

 protected:
  // Member by member: what copies 16 bytes at once waits for the two stores that were just made.
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
  // As of now, a thread waits.
  void BeginWait(Thread& thread, WaitKind kind, uint64_t time, Bound began) {
    thread.kind = kind;
    thread.since = time;
    thread.began = began;
    thread.by_wakeup = false;
    thread.running = false;
    thread.left = false;
    // One less than the count where a loss goes on, so that it differs whatever comes.
    thread.losses = losses_ - (lossy_cpus_ != 0 ? 1 : 0);
  }
  // What is known of a wait that ends.
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
      if (thread.has_waker) wait.waker = thread.waker;
      wait.target_cpu = thread.cpu;
    }
    return wait;
  }
  // Takes note of a `linux_state` instant.
  void NoteState(const fxt::Event& event);
  // The kernel state behind a switch; empty for states that no outgoing thread can have.
  static std::optional<fxr_task_state> StateOf(const Thread* thread, fxt::ThreadState state) {
    const auto number = static_cast<size_t>(state);
    if (state == fxt::ThreadState::kRunning || number >= kUsual.size()) return std::nullopt;
    return static_cast<fxr_task_state>((thread == nullptr ? kUsual : thread->assumed)[number]);
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
  KoidIndex index_{kMaxThreads};
};

}  // namespace facts
