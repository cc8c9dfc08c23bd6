// SPDX-License-Identifier: BSD-2-Clause
// The consumer of one CPU's slot ring (include/fxt_record/event.h). Works on any memory of that
// layout, which tests use.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fxt_record/event.h"

namespace capture {

// One slot with its full time.
struct SlotEvent {
  uint64_t time = 0;  // ns, CLOCK_MONOTONIC
  uint64_t commit = 0;
  uint64_t body = 0;
};

// Time from the low 44 bits of `commit` to the end of the 4.8 hours around `near`, ns.
constexpr uint64_t AgeOf(uint64_t commit, uint64_t near) {
  return (near + (uint64_t{1} << (FXR_TIME_BITS - 1)) - commit) & FXR_TIME_MASK;
}

// Completes the low 44 bits of a time from `near`, a time at most 2.4 hours from it. Other bits of
// `commit` are ignored.
constexpr uint64_t WholeTime(uint64_t commit, uint64_t near) {
  return near + (uint64_t{1} << (FXR_TIME_BITS - 1)) - AgeOf(commit, near);
}

class SlotRing {
 public:
  enum class Peek : uint8_t {
    kEvent,
    kEmpty,     // nothing was claimed beyond the loaded head
    kInFlight,  // claimed, but not committed
  };

  // `slots` has 1 << `shift` elements. Both outlive the ring.
  SlotRing(fxr_ring_control* control, const fxr_slot* slots, unsigned shift)
      : control_(control), slots_(slots), shift_(shift) {}

  // Continues at this event.
  void SkipTo(uint64_t position) { position_ = position; }
  // The current head.
  uint64_t LiveHead() const { return __atomic_load_n(&control_->head, __ATOMIC_ACQUIRE); }
  // The slot at a position. Body and commit match if it is committed and not overwritten.
  fxr_slot Read(uint64_t position) const {
    const fxr_slot& slot = SlotAt(position);
    const uint64_t commit = __atomic_load_n(&slot.commit, __ATOMIC_ACQUIRE);
    return {commit, __atomic_load_n(&slot.body, __ATOMIC_RELAXED)};
  }
  // True if `commit` belongs to the event claimed at this position.
  bool IsOf(uint64_t position, uint64_t commit) const {
    return (((commit >> FXR_LAP_SHIFT) ^ ((position >> shift_) + 1)) & FXR_LAP_MASK) == 0;
  }
  unsigned shift() const { return shift_; }

  // Reads the producer's head. Later events are invisible until the next call.
  void LoadHead() { head_ = __atomic_load_n(&control_->head, __ATOMIC_ACQUIRE); }

  // Checks the event `ahead` places after the next one, and yields its time.
  Peek At(uint64_t ahead, uint64_t near, uint64_t* time) const {
    const uint64_t position = position_ + ahead;
    if (position >= head_) return Peek::kEmpty;
    const uint64_t commit = __atomic_load_n(&SlotAt(position).commit, __ATOMIC_ACQUIRE);
    const uint64_t lap = (position >> shift_) + 1;
    if ((((commit >> FXR_LAP_SHIFT) ^ lap) & FXR_LAP_MASK) != 0) [[unlikely]] {
      return Peek::kInFlight;
    }
    *time = WholeTime(commit, near);
    return Peek::kEvent;
  }

  // Returns how many events from the next one on are committed, contiguous in memory, and not later
  // than any event after them; at most `most`. Returns 0 if there is none, or if the next one is
  // uncommitted, overtaken, or not known to be in order.
  uint64_t InOrder(uint64_t most, uint64_t near) const {
    const uint64_t rest_of_lap = capacity() - (position_ & (capacity() - 1));
    const uint64_t count = std::min({most, rest_of_lap, pending()});
    const uint64_t lap = (((position_ >> shift_) + 1) & FXR_LAP_MASK) << FXR_LAP_SHIFT;
    const fxr_slot* slot = &SlotAt(position_);
    uint64_t age_before = FXR_TIME_MASK;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t commit = __atomic_load_n(&slot[i].commit, __ATOMIC_ACQUIRE);
      if (((commit ^ lap) & FXR_LAP_MASK << FXR_LAP_SHIFT) != 0) [[unlikely]] {
        return i;
      }
      const uint64_t age = AgeOf(commit, near);
      if (age > age_before) [[unlikely]] {
        return BeforeYounger(slot, i - 1, age, near);
      }
      age_before = age;
    }
    if (count == pending()) return count;
    // The event after the last one was not checked and may overtake all events of one equal time. A
    // clock that stands still for longer is unusable.
    const uint64_t before = BeforeYounger(slot, count - 1, age_before + 1, near);
    return before == 0 && count == most ? count - 1 : before;
  }

  // True if a later event has an earlier time than the next one. It was then claimed inside of that
  // one, as all between them were, so no event in order lies between.
  bool IsOvertaken(uint64_t near) const {
    uint64_t first = 0;
    uint64_t time = 0;
    if (At(0, near, &first) != Peek::kEvent) return false;
    for (uint64_t ahead = 1; At(ahead, near, &time) == Peek::kEvent; ++ahead) {
      if (time != first) return time < first;
    }
    return false;
  }

  // The slot of the next event.
  const fxr_slot& front() const { return SlotAt(position_); }

  // Consumes `count` events. Their slots are freed at the next Release, or every few thousand
  // events, so that a long drain does not occupy the whole ring.
  void Advance(uint64_t count) {
    const uint64_t before = position_;
    position_ += count;
    if (((before ^ position_) & ~kReleaseMask) != 0) Release();
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

  // The number of the first `count` slots without the younger ones at their end.
  static uint64_t BeforeYounger(const fxr_slot* slots, uint64_t count, uint64_t age,
                                uint64_t near) {
    while (count > 0 && AgeOf(slots[count - 1].commit, near) < age) --count;
    return count;
  }

  static constexpr uint64_t kReleaseMask = 4095;

  fxr_ring_control* control_;
  const fxr_slot* slots_;
  unsigned shift_;
  uint64_t head_ = 0;
  uint64_t position_ = 0;
};

}  // namespace capture
