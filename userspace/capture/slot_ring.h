// SPDX-License-Identifier: BSD-2-Clause
// The collector's end of one CPU's slot ring (include/fxt_record/event.h). It works on any memory
// laid out like that, which is how it is tested.
#pragma once

#include <cstdint>

#include "fxt_record/event.h"

namespace capture {

// One event taken from a slot, its time made whole.
struct SlotEvent {
  uint64_t time = 0;  // ns, CLOCK_MONOTONIC
  uint64_t commit = 0;
  uint64_t body = 0;

  fxr_slot_type type() const {
    return static_cast<fxr_slot_type>((commit >> FXR_TYPE_SHIFT) & FXR_TYPE_MASK);
  }
  uint8_t extra() const { return static_cast<uint8_t>(commit >> FXR_EXTRA_SHIFT); }
};

// The low 44 bits of a time, made whole by a time at most 2.4 hours away from it.
constexpr uint64_t WholeTime(uint64_t low_bits, uint64_t near) {
  uint64_t reference = near + (uint64_t{1} << (FXR_TIME_BITS - 1));
  return reference - ((reference - low_bits) & FXR_TIME_MASK);
}

class SlotRing {
 public:
  enum class Peek : uint8_t {
    kEvent,
    kEmpty,     // nothing was claimed beyond the head last seen
    kInFlight,  // claimed, and not committed yet
  };

  // `slots` has 1 << `shift` elements. Both outlive the ring.
  SlotRing(fxr_ring_control* control, const fxr_slot* slots, unsigned shift)
      : control_(control), slots_(slots), shift_(shift) {}

  // Looks how far the producer is. What it claims later stays unseen until the next call.
  void SeeHead() { head_ = __atomic_load_n(&control_->head, __ATOMIC_ACQUIRE); }

  // Whether there is an event `ahead` places after the next one, and its time.
  Peek At(uint64_t ahead, uint64_t near, uint64_t* time) const {
    const uint64_t position = position_ + ahead;
    if (position >= head_) return Peek::kEmpty;
    const uint64_t commit = __atomic_load_n(&SlotAt(position).commit, __ATOMIC_ACQUIRE);
    const uint64_t lap = (position >> shift_) + 1;
    if ((((commit >> FXR_LAP_SHIFT) ^ lap) & FXR_LAP_MASK) != 0) [[unlikely]] {
      return Peek::kInFlight;
    }
    *time = WholeTime(commit & FXR_TIME_MASK, near);
    return Peek::kEvent;
  }

  // The next event; there has to be one. `time` is what At() said.
  SlotEvent Next(uint64_t time) const {
    const fxr_slot& slot = SlotAt(position_);
    return {time, slot.commit, slot.body};
  }

  // The next event is done with. Its room goes back to the producer at the next Release, and by
  // itself every few thousand events, so that a long drain does not hold the whole ring.
  void Advance() {
    if ((++position_ & kReleaseMask) == 0) Release();
  }
  void Release() { __atomic_store_n(&control_->tail, position_, __ATOMIC_RELEASE); }

  uint64_t consumed() const { return position_; }
  uint64_t pending() const { return head_ - position_; }
  uint64_t capacity() const { return uint64_t{1} << shift_; }
  const fxr_ring_control& control() const { return *control_; }

 private:
  const fxr_slot& SlotAt(uint64_t position) const {
    return slots_[position & ((uint64_t{1} << shift_) - 1)];
  }

  static constexpr uint64_t kReleaseMask = 4095;

  fxr_ring_control* control_;
  const fxr_slot* slots_;
  unsigned shift_;
  uint64_t head_ = 0;
  uint64_t position_ = 0;
};

}  // namespace capture
