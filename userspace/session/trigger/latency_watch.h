// SPDX-License-Identifier: BSD-2-Clause
// Scans slots in their rings for threads that waited, slept or ran longer than a limit.
//
// Some machines do not report every switch. A duration counts only if both ends are known: a thread
// has waited if it left its CPU, or is new, and has not run since. If the outgoing thread of a CPU
// is not the thread that was switched in last, the runs of both threads have unknown lengths.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capture/rings/slot_merger.h"
#include "capture/rings/slot_ring.h"
#include "fxt_record/slot_body.h"
#include "model/tid_map.h"
#include "session/trigger/trigger_spec.h"

namespace session {

class LatencyWatch {
 public:
  // A duration above the limit.
  struct Found {
    TriggerKind kind;
    uint64_t time = 0;   // of its end, ns of CLOCK_MONOTONIC
    uint64_t value = 0;  // ns
    uint32_t tid = 0;
    uint32_t state = 0;  // in which it left the CPU
  };

  // `above`: limits of the first four kinds, ns; UINT64_MAX: not watched. The rings are those of a
  // circular buffer and outlive the watch.
  using Limits = std::array<uint64_t, 4>;
  LatencyWatch(const std::vector<capture::SlotRing>& rings, const Limits& above);

  // Scans the slots since the last call, up to `now`, and calls found(Found) for each duration
  // above its limit. Skips the oldest slots if the rings are about to wrap around.
  template <typename Visit>
  void Scan(uint64_t now, Visit found) {
    KeepUp();
    merger_.Drain(now, now, [&](uint32_t cpu, const capture::SlotEvent& event) {
      const uint32_t type = fxr_type_of(event.commit);
      if (type == FXR_SLOT_SWITCH) {
        OnSwitch(cpu, event.time, fxr_unpack_switch(event.body, 0), found);
      } else if (type == FXR_SLOT_WAKING) {
        OnWaking(event.time, fxr_unpack_waking(event.body, fxr_extra_of(event.commit)));
      }
    });
  }
  // Capacity of each ring.
  uint64_t ring_slots() const { return merger_.ring_count() == 0 ? 0 : merger_.ring(0).capacity(); }
  // Slots that were skipped.
  uint64_t skipped() const { return skipped_; }
  // New slots in the fullest ring at the last scan, percent.
  unsigned fullest_percent() const { return fullest_; }

 private:
  struct OnCpu {
    uint32_t tid = 0;
    uint64_t since = 0;
  };
  // The low bits of a time off the CPU are the thread's state, or kNew if it never ran.
  static constexpr unsigned kStateBits = 4;
  static constexpr uint64_t kStateMask = (1u << kStateBits) - 1;
  static constexpr uint64_t kNew = kStateMask;

  bool IsAbove(TriggerKind kind, uint64_t value) const {
    return value > above_[static_cast<size_t>(kind)];
  }
  void OnWaking(uint64_t time, const fxr_waking_body& body) {
    woken_.Set(body.woken_tid, time);
    if (body.is_new) off_.Set(body.woken_tid, time << kStateBits | kNew);
  }
  template <typename Visit>
  void OnSwitch(uint32_t cpu, uint64_t time, const fxr_switch_body& body, Visit& found) {
    OnCpu& here = on_cpu_[cpu];
    if (here.tid != body.prev_tid && here.tid != 0) Forget(here.tid);
    if (body.prev_tid != 0) OnLeaving(here, time, body, found);
    here = {body.next_tid, time};
    if (body.next_tid != 0) OnComing(time, body.next_tid, found);
  }
  template <typename Visit>
  void OnLeaving(const OnCpu& here, uint64_t time, const fxr_switch_body& body, Visit& found) {
    const uint32_t tid = body.prev_tid;
    if (here.tid == tid) {
      if (IsAbove(TriggerKind::kSlice, time - here.since)) {
        found(Found{TriggerKind::kSlice, time, time - here.since, tid, body.prev_state});
      }
    } else {
      // The switch to this thread was not reported. It happened after the last known switch.
      const uint64_t woken = woken_.Get(tid);
      if (woken != 0 && off_.Get(tid) != 0 && here.since > woken &&
          IsAbove(TriggerKind::kWakeupLatency, here.since - woken)) {
        found(Found{TriggerKind::kWakeupLatency, time, here.since - woken, tid, 0});
      }
    }
    // Drops the state of an ended thread, because another thread may reuse its tid.
    const bool ends = body.prev_state == FXR_STATE_DEAD || body.prev_state == FXR_STATE_ZOMBIE;
    off_.Set(tid, ends ? 0 : (time << kStateBits | body.prev_state));
    woken_.Set(tid, 0);
  }
  template <typename Visit>
  void OnComing(uint64_t time, uint32_t tid, Visit& found) {
    const uint64_t off = off_.Get(tid);
    const uint64_t woken = woken_.Get(tid);
    Forget(tid);
    if (off == 0) return;
    const bool is_new = (off & kStateMask) == kNew;
    const auto state =
        is_new ? uint32_t{FXR_STATE_RUNNABLE} : static_cast<uint32_t>(off & kStateMask);
    if (woken != 0 && IsAbove(TriggerKind::kWakeupLatency, time - woken)) {
      found(Found{TriggerKind::kWakeupLatency, time, time - woken, tid, state});
    }
    if (is_new) return;
    const bool was_runnable =
        state == FXR_STATE_RUNNABLE || state == FXR_STATE_PREEMPTED || state == FXR_STATE_THROTTLED;
    const TriggerKind kind = was_runnable ? TriggerKind::kRunnable : TriggerKind::kOffCpu;
    const uint64_t value = time - (off >> kStateBits);
    if (IsAbove(kind, value)) found(Found{kind, time, value, tid, state});
  }
  // The thread runs, or ran for an unknown time.
  void Forget(uint32_t tid) {
    woken_.Set(tid, 0);
    off_.Set(tid, 0);
  }
  void KeepUp();

  Limits above_;
  capture::SlotMerger merger_;
  std::vector<OnCpu> on_cpu_;
  model::TidMap<uint64_t, 0> woken_;  // the time of the wakeup; 0: none since it last ran
  model::TidMap<uint64_t, 0> off_;    // the time when it left the CPU, and its state; 0: unknown
  uint64_t skipped_ = 0;
  unsigned fullest_ = 0;
};

}  // namespace session
