// SPDX-License-Identifier: BSD-2-Clause
// The slots of one delivery, merged over all CPUs in time order, interleaved with the other events.
#pragma once

#include <cstdint>

#include "capture/rings/slot_merger.h"

namespace capture {

// The events that do not come from slot rings.
class OtherEvents {
 public:
  virtual ~OtherEvents() = default;
  // Time of the first event, ns of CLOCK_MONOTONIC; UINT64_MAX: none.
  virtual uint64_t NextTime() const = 0;
  // Delivers the events up to and including `time`.
  virtual void DeliverUpTo(uint64_t time) = 0;
};

class SlotStream {
 public:
  // Covers slots up to and including `horizon`. `near` is a time at most 2.4 hours from theirs.
  // Both references outlive the stream.
  SlotStream(SlotMerger& merger, OtherEvents& others, uint64_t horizon, uint64_t near)
      : merger_(merger), others_(others), horizon_(horizon), near_(near) {}

  // Calls `visit(cpu, event)` for each slot, after the other events up to its time. Returns false
  // if an uncommitted slot stopped it. The visitor is inlined into the merge, because a call per
  // slot costs too much at millions of slots a second.
  template <typename Visitor>
  bool ForEach(Visitor visit) {
    // By value, so that the merge loop reads its state without an indirection.
    return merger_.Deliver(horizon_, near_,
                           [this, next_other = others_.NextTime(), visit](
                               uint32_t cpu, const SlotEvent& event) mutable {
                             if (event.time >= next_other) [[unlikely]] {
                               others_.DeliverUpTo(event.time);
                               next_other = others_.NextTime();
                             }
                             visit(cpu, event);
                           });
  }

 private:
  SlotMerger& merger_;
  OtherEvents& others_;
  uint64_t horizon_;
  uint64_t near_;
};

}  // namespace capture
