// SPDX-License-Identifier: BSD-2-Clause
// Looks at slots that stay in their rings for threads that waited, slept or ran for long.
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
  // Something took longer than the least that was asked for.
  struct Found {
    TriggerKind kind;
    uint64_t time = 0;   // of its end, ns of CLOCK_MONOTONIC
    uint64_t value = 0;  // ns
    uint32_t tid = 0;
    uint32_t state = 0;  // how it left the CPU, where it did
  };

  // `above`: by kind (the first four), ns; UINT64_MAX: not asked for. The rings are those of a
  // circular buffer and outlive the watch.
  using Limits = std::array<uint64_t, 4>;
  LatencyWatch(const std::vector<capture::SlotRing>& rings, const Limits& above);

  // Looks at what came since the last call, up to `now`, and calls found(Found) for each. Where the
  // rings were nearly lapped in between, what is too old is left out.
  template <typename Visit>
  void Scan(uint64_t now, Visit found) {
    KeepUp();
    merger_.Drain(now, now, [&](uint32_t cpu, const capture::SlotEvent& event) {
      const uint32_t type = fxr_type_of(event.commit);
      if (type == FXR_SLOT_SWITCH) {
        OnSwitch(cpu, event.time, fxr_unpack_switch(event.body, 0), found);
      } else if (type == FXR_SLOT_WAKING) {
        woken_.Set(fxr_unpack_waking(event.body, 0).woken_tid, event.time);
      }
    });
  }
  // Slots that were left out.
  uint64_t skipped() const { return skipped_; }
  // How full of new slots the fullest ring was at the last look, percent.
  unsigned fullest_percent() const { return fullest_; }

 private:
  struct OnCpu {
    uint32_t tid = 0;
    uint64_t since = 0;
  };
  // In the low bits of a time off the CPU.
  static constexpr unsigned kStateBits = 4;

  bool IsAbove(TriggerKind kind, uint64_t value) const {
    return value > above_[static_cast<size_t>(kind)];
  }
  template <typename Visit>
  void OnSwitch(uint32_t cpu, uint64_t time, const fxr_switch_body& body, Visit& found) {
    OnCpu& here = on_cpu_[cpu];
    if (body.prev_tid != 0) {
      if (here.tid == body.prev_tid && IsAbove(TriggerKind::kSlice, time - here.since)) {
        found(Found{TriggerKind::kSlice, time, time - here.since, body.prev_tid, body.prev_state});
      }
      // Some machines do not show every switch: it has waited at least until the one before.
      const uint64_t waited = woken_.Get(body.prev_tid);
      if (here.tid != body.prev_tid && waited != 0 && here.since > waited &&
          IsAbove(TriggerKind::kWakeupLatency, here.since - waited)) {
        found(Found{TriggerKind::kWakeupLatency, time, here.since - waited, body.prev_tid, 0});
      }
      off_.Set(body.prev_tid, time << kStateBits | body.prev_state);
      woken_.Set(body.prev_tid, 0);
    }
    here = {body.next_tid, time};
    if (body.next_tid == 0) return;
    const uint64_t woken = woken_.Get(body.next_tid);
    const uint64_t off = off_.Get(body.next_tid);
    const uint32_t state = off & ((1u << kStateBits) - 1);
    if (woken != 0 && IsAbove(TriggerKind::kWakeupLatency, time - woken)) {
      found(Found{TriggerKind::kWakeupLatency, time, time - woken, body.next_tid, state});
    }
    if (off == 0) return;
    const bool was_runnable = state == FXR_STATE_RUNNABLE || state == FXR_STATE_PREEMPTED;
    const TriggerKind kind = was_runnable ? TriggerKind::kRunnable : TriggerKind::kOffCpu;
    const uint64_t value = time - (off >> kStateBits);
    if (IsAbove(kind, value)) found(Found{kind, time, value, body.next_tid, state});
  }
  void KeepUp();

  Limits above_;
  capture::SlotMerger merger_;
  std::vector<OnCpu> on_cpu_;
  model::TidMap<uint64_t, 0> woken_;  // when; 0: not, or it ran since
  model::TidMap<uint64_t, 0> off_;    // when it left the CPU, and in which state; 0: not seen
  uint64_t skipped_ = 0;
  unsigned fullest_ = 0;
};

}  // namespace session
