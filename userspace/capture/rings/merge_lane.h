// SPDX-License-Identifier: BSD-2-Clause
// One slot ring as input of the merger: its next event and that event's time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "capture/rings/slot_ring.h"

namespace capture {

// Buffers the events of a ring in time order. Ring order is claim order, which is time order unless
// programs nested between claim and stamp. An event that was overtaken in this way is held back
// until its time.
//
// Events are offered in runs that were checked before: all committed and in order. A run is in the
// cache by then, and the cost per event is small.
class MergeLane {
 public:
  MergeLane(SlotRing ring, uint32_t cpu) : ring_(ring), cpu_(cpu) {}

  SlotRing& ring() { return ring_; }
  const SlotRing& ring() const { return ring_; }
  uint32_t cpu() const { return cpu_; }
  // The time of the offered event.
  uint64_t time() const { return time_; }
  SlotEvent Next() const { return {time_, next_->commit, next_->body}; }

  // Finds the next event. Returns kEvent, or the reason for none. Must be called after LoadHead().
  SlotRing::Peek Load(uint64_t near) {
    CountTaken();
    if (held_.empty()) {
      if (const uint64_t run = ring_.InOrder(kMaxRun, near); run > 0) {
        Offer(&ring_.front(), run, WholeTime(ring_.front().commit, near));
        return SlotRing::Peek::kEvent;
      }
    }
    return Settle(near);
  }

  // The offered event was delivered: finds the next one.
  SlotRing::Peek Step(uint64_t near) {
    if (++next_ != end_) [[likely]] {
      time_ = WholeTime(next_->commit, near);
      return SlotRing::Peek::kEvent;
    }
    if (next_is_held_) [[unlikely]] {
      held_.pop_back();
    }
    return Load(near);
  }

  // Continues at this event.
  void SkipTo(uint64_t position) {
    CountTaken();
    held_.clear();
    ring_.SkipTo(position);
  }

  // Frees the slots of delivered events for the producer.
  void Release() {
    CountTaken();
    ring_.Release();
  }

 private:
  // This many slots fit the L1 cache beside those of a few other rings.
  static constexpr uint64_t kMaxRun = 128;

  struct Held {
    uint64_t time;
    fxr_slot slot;
  };

  void Offer(const fxr_slot* slots, uint64_t count, uint64_t time) {
    begin_ = next_ = slots;
    end_ = slots + count;
    time_ = time;
  }

  // Advances the ring past the delivered events; no event is offered then.
  void CountTaken() {
    if (!next_is_held_) ring_.Advance(static_cast<uint64_t>(next_ - begin_));
    next_is_held_ = false;
    begin_ = next_ = end_ = nullptr;
  }

  // Chooses between the ring's first event and the held ones.
  SlotRing::Peek Settle(uint64_t near) {
    uint64_t first = 0;
    while (ring_.IsOvertaken(near)) {
      ring_.At(0, near, &first);
      Hold({first, ring_.front()});
      ring_.Advance(1);
    }
    const SlotRing::Peek peek = ring_.At(0, near, &first);
    if (peek == SlotRing::Peek::kInFlight) return peek;
    if (!held_.empty() && (peek == SlotRing::Peek::kEmpty || held_.back().time <= first)) {
      next_is_held_ = true;
      Offer(&held_.back().slot, 1, held_.back().time);
      return SlotRing::Peek::kEvent;
    }
    if (peek == SlotRing::Peek::kEvent) Offer(&ring_.front(), 1, first);
    return peek;
  }

  // Events of equal time keep their claim order; the list is reversed.
  void Hold(const Held& event) {
    auto place = std::lower_bound(held_.begin(), held_.end(), event,
                                  [](const Held& a, const Held& b) { return a.time > b.time; });
    held_.insert(place, event);
  }

  SlotRing ring_;
  uint32_t cpu_;
  bool next_is_held_ = false;
  uint64_t time_ = 0;
  // The current run: its events before next_ were delivered.
  const fxr_slot* begin_ = nullptr;
  const fxr_slot* next_ = nullptr;
  const fxr_slot* end_ = nullptr;
  std::vector<Held> held_;  // latest first
};

}  // namespace capture
