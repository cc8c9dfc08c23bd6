// SPDX-License-Identifier: BSD-2-Clause
// Merges the slot rings of all CPUs into one stream in time order. The cost of an event grows with
// the logarithm of the number of CPUs that have events, and is a comparison while one CPU's events
// follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "capture/slot_ring.h"

namespace capture {

// One ring and the event it offers next. Inside a ring, events are in the order of their claims;
// their times are too, except where programs nested between claim and stamp. Such an event is held
// back until its time has come.
class MergeLane {
 public:
  MergeLane(SlotRing ring, uint32_t cpu) : ring_(ring), cpu_(cpu) {}

  SlotRing& ring() { return ring_; }
  const SlotRing& ring() const { return ring_; }
  uint32_t cpu() const { return cpu_; }
  const SlotEvent& next() const { return next_; }

  // Finds the next event: kEvent when there is one, else why not.
  SlotRing::Peek Load(uint64_t near) {
    SlotRing::Peek peek = ring_.At(0, near, &next_);
    SlotEvent after;
    while (peek == SlotRing::Peek::kEvent && ring_.At(1, near, &after) == SlotRing::Peek::kEvent &&
           after.time < next_.time) {
      Hold();
      ring_.Advance();
      next_ = after;
    }
    next_is_held_ = false;
    if (held_.empty()) return peek;
    if (peek == SlotRing::Peek::kInFlight) return peek;
    if (peek == SlotRing::Peek::kEmpty || held_.back().time <= next_.time) {
      next_ = held_.back();
      next_is_held_ = true;
    }
    return SlotRing::Peek::kEvent;
  }

  // The next event was delivered.
  void Pop() {
    if (next_is_held_) {
      held_.pop_back();
    } else {
      ring_.Advance();
    }
  }

  bool has_held() const { return !held_.empty(); }

 private:
  void Hold() {
    auto place =
        std::upper_bound(held_.begin(), held_.end(), next_,
                         [](const SlotEvent& a, const SlotEvent& b) { return a.time > b.time; });
    held_.insert(place, next_);
  }

  SlotRing ring_;
  uint32_t cpu_;
  bool next_is_held_ = false;
  SlotEvent next_;
  std::vector<SlotEvent> held_;  // latest first
};

class SlotMerger {
 public:
  // `cpu` is told to the visitor with each of the ring's events.
  void AddRing(SlotRing ring, uint32_t cpu) { lanes_.emplace_back(ring, cpu); }

  size_t ring_count() const { return lanes_.size(); }
  const SlotRing& ring(size_t index) const { return lanes_[index].ring(); }

  // Delivers events up to and including time `horizon` to `visit(cpu, event)`, in time order. The
  // horizon is a clock reading made before this call: whatever is claimed after the call looks at
  // the heads is later than that. False when it had to stop at an event that a CPU is just writing;
  // what is left then is delivered by the next call.
  template <typename Visitor>
  bool Drain(uint64_t horizon, uint64_t near, Visitor&& visit) {
    Look();
    return Deliver(horizon, near, visit);
  }

  // The two halves of Drain, for a caller that has a further stream to merge with.
  void Look() {
    for (MergeLane& lane : lanes_) lane.ring().SeeHead();
  }
  template <typename Visitor>
  bool Deliver(uint64_t horizon, uint64_t near, Visitor&& visit);

  // Gives the room of delivered events back to the kernel.
  void Release() {
    for (MergeLane& lane : lanes_) lane.ring().Release();
  }

 private:
  static bool Later(const MergeLane* a, const MergeLane* b) {
    return a->next().time > b->next().time;
  }
  void SiftDown() {
    size_t hole = 0;
    MergeLane* lane = heap_[0];
    for (;;) {
      size_t child = 2 * hole + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && Later(heap_[child], heap_[child + 1])) ++child;
      if (!Later(lane, heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = lane;
  }

  std::vector<MergeLane> lanes_;
  std::vector<MergeLane*> heap_;
};

template <typename Visitor>
bool SlotMerger::Deliver(uint64_t horizon, uint64_t near, Visitor&& visit) {
  heap_.clear();
  for (MergeLane& lane : lanes_) {
    SlotRing::Peek peek = lane.Load(near);
    if (peek == SlotRing::Peek::kInFlight) return false;
    if (peek == SlotRing::Peek::kEvent) heap_.push_back(&lane);
  }
  std::make_heap(heap_.begin(), heap_.end(), Later);
  while (!heap_.empty()) {
    MergeLane* lane = heap_[0];
    // How long this ring can go on before another one's turn comes.
    uint64_t turn = horizon;
    if (heap_.size() > 1) turn = std::min(turn, heap_[1]->next().time);
    if (heap_.size() > 2) turn = std::min(turn, heap_[2]->next().time);
    if (lane->next().time > horizon) return true;
    SlotRing::Peek peek;
    do {
      visit(lane->cpu(), lane->next());
      lane->Pop();
      peek = lane->Load(near);
    } while (peek == SlotRing::Peek::kEvent && lane->next().time <= turn);
    if (peek == SlotRing::Peek::kInFlight) return false;
    if (peek == SlotRing::Peek::kEmpty) {
      heap_[0] = heap_.back();
      heap_.pop_back();
      if (heap_.empty()) break;
    }
    SiftDown();
  }
  return true;
}

}  // namespace capture
