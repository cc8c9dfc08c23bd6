// SPDX-License-Identifier: BSD-2-Clause
// The steps of a timeline at which nothing is odd: nearly all that there are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "facts/timeline/timeline_state.h"

namespace facts {

// A switch or wakeup is plain when all that Timeline would tell of it is whole: of a switch the run
// or idle time that ends, and the wait for a CPU that ends; of a wakeup the sleep that ends. For
// these the state is what is told: look at it, and then take the step, which leaves it as
// Timeline::OnSwitch() and OnWakeup() do.
class FastPath : public TimelineState {
 public:
  // Of the legacy layout, both threads by their numbers here.
  struct Step {
    uint64_t time = 0;
    uint32_t cpu = 0;
    ThreadIndex outgoing = kNoThread;
    ThreadIndex incoming = kNoThread;
    fxt::ThreadState outgoing_state = fxt::ThreadState::kNew;
    uint8_t outgoing_priority = 0;
    uint8_t incoming_priority = 0;
    bool idle = false;      // the CPU has nothing to run
    fxt::Koid process = 0;  // of the incoming thread
  };

  // Whether a switch is plain. Neither side may be the recorder's stand-in for lost events.
  bool IsPlain(const Step& step) const {
    if (step.time < latest_ || step.cpu >= cpus_.size()) return false;
    const Cpu& cpu = cpus_[step.cpu];
    const bool there = (cpu.does == Cpu::Does::kRun || cpu.does == Cpu::Does::kIdle) &&
                       cpu.index == step.outgoing && step.outgoing != kNoThread;
    if (!there || cpu.unseen_told || cpu.began != Bound::kSeen || !cpu.process) return false;
    const auto state = static_cast<size_t>(step.outgoing_state);
    if (step.outgoing_state == fxt::ThreadState::kRunning || state >= kUsual.size()) return false;
    if (step.idle) return true;
    const Thread& incoming = threads_[step.incoming];
    return !incoming.running && IsRunnable(incoming.kind) && IsWhole(incoming);
  }
  // The wait that a plain step ends.
  Wait WaitOf(ThreadIndex thread, uint64_t time) const {
    return EndOfWait(threads_[thread], thread, time, Bound::kSeen);
  }
  // The kernel state that the thread is in which leaves.
  fxr_task_state OutgoingState(const Step& step) const {
    return static_cast<fxr_task_state>(
        threads_[step.outgoing].assumed[static_cast<size_t>(step.outgoing_state)]);
  }
  // After a plain one.
  void Take(const Step& step) {
    latest_ = step.time;
    Cpu& cpu = cpus_[step.cpu];
    ++cpu.switches;
    if (cpu.does == Cpu::Does::kRun) {
      Thread& outgoing = threads_[step.outgoing];
      const fxr_task_state state = OutgoingState(step);
      BeginWait(outgoing, KindOf(state), step.time, Bound::kSeen);
      outgoing.left = true;
      outgoing.state = static_cast<uint8_t>(state);
    }
    Thread& incoming = threads_[step.incoming];
    incoming.idle = step.idle;
    if (!step.idle) {
      incoming.running = true;
      incoming.cpu = step.cpu;
    }
    cpu.does = step.idle ? Cpu::Does::kIdle : Cpu::Does::kRun;
    cpu.index = step.incoming;
    cpu.thread = incoming.koid;
    cpu.process = step.process;
    cpu.priority = step.incoming_priority;
    cpu.since = step.time;
  }

  // Whether a wakeup of `thread` is plain.
  bool IsFastWakeup(ThreadIndex thread, uint64_t time) const {
    if (time < latest_ || thread >= threads_.size()) return false;
    const Thread& sleeper = threads_[thread];
    const bool asleep = sleeper.kind == WaitKind::kSleep || sleeper.kind == WaitKind::kBlocked;
    return asleep && !sleeper.running && IsWhole(sleeper);
  }
  void TakeWakeup(ThreadIndex thread, uint64_t time, uint32_t cpu,
                  const std::optional<fxt::Koid>& waker) {
    latest_ = time;
    Woken(threads_[thread], time, cpu, waker);
  }

 protected:
  static WaitKind KindOf(fxr_task_state state) {
    static constexpr std::array<WaitKind, FXR_STATE_WOKEN + 1> kKinds = [] {
      std::array<WaitKind, FXR_STATE_WOKEN + 1> kinds{};
      kinds.fill(WaitKind::kSleep);
      kinds[FXR_STATE_RUNNABLE] = kinds[FXR_STATE_PREEMPTED] = WaitKind::kPreempted;
      kinds[FXR_STATE_WOKEN] = WaitKind::kWakeup;
      kinds[FXR_STATE_UNINTERRUPTIBLE] = WaitKind::kBlocked;
      kinds[FXR_STATE_STOPPED] = kinds[FXR_STATE_TRACED] = WaitKind::kStopped;
      kinds[FXR_STATE_DEAD] = kinds[FXR_STATE_ZOMBIE] = WaitKind::kAbsent;
      return kinds;
    }();
    return kKinds[state];
  }
  static bool IsRunnable(WaitKind kind) {
    return kind == WaitKind::kWakeup || kind == WaitKind::kPreempted;
  }
  // A wakeup of one that waited for it.
  void Woken(Thread& thread, uint64_t time, uint32_t cpu, const std::optional<fxt::Koid>& waker) {
    BeginWait(thread, WaitKind::kWakeup, time, Bound::kSeen);
    thread.by_wakeup = true;
    thread.cpu = cpu;
    thread.has_waker = waker.has_value();
    thread.waker = waker.value_or(0);
  }

 private:
  // Its wait began where a record says so, and nothing was lost meanwhile.
  bool IsWhole(const Thread& thread) const {
    return thread.began == Bound::kSeen && thread.losses == losses_;
  }
};

}  // namespace facts
