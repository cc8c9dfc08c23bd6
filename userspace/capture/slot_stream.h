// SPDX-License-Identifier: BSD-2-Clause
// The slots of one delivery, in time order over all CPUs, with whatever else there is delivered
// where its time comes.
#pragma once

#include <cstdint>

#include "capture/rings/slot_merger.h"

namespace capture {

// What does not come by the slot rings.
class OtherEvents {
 public:
  virtual ~OtherEvents() = default;
  // Of the first one waiting; UINT64_MAX: none. ns of CLOCK_MONOTONIC.
  virtual uint64_t NextTime() const = 0;
  // Delivers those up to and including this time.
  virtual void DeliverUpTo(uint64_t time) = 0;
};

class SlotStream {
 public:
  // Slots up to and including `horizon`; `near` is a time at most 2.4 hours away from theirs. Both
  // references outlive the stream.
  SlotStream(SlotMerger& merger, OtherEvents& others, uint64_t horizon, uint64_t near)
      : merger_(merger), others_(others), horizon_(horizon), near_(near) {}

  // Calls `visit(cpu, event)` for each slot, after the other events up to its time. False when it
  // had to stop at one that a CPU is just writing. The visitor becomes part of the merge: at
  // millions of slots a second a call for each would show.
  template <typename Visitor>
  bool ForEach(Visitor visit) {
    // By value: what each slot needs is one step away.
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
