// SPDX-License-Identifier: BSD-2-Clause
// Merges the slot rings of all CPUs into one stream in time order. The cost of an event grows with
// the logarithm of the number of CPUs that have events, and is a comparison while one CPU's events
// follow each other.
#pragma once

#include <algorithm>
#include <array>
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
  // Of the event it offers.
  uint64_t time() const { return time_; }
  SlotEvent Next() const {
    if (next_is_held_) [[unlikely]] {
      return held_.back();
    }
    return ring_.Next(time_);
  }

  // Finds the next event: kEvent when there is one, else why not. To be called after the ring has
  // seen a new head.
  SlotRing::Peek Load(uint64_t near) {
    peek_ = ring_.At(0, near, &first_time_);
    return Settle(near);
  }

  // The next event was delivered: finds the one after it.
  SlotRing::Peek Step(uint64_t near) {
    if (next_is_held_) [[unlikely]] {
      held_.pop_back();
      return Settle(near);
    }
    ring_.Advance();
    if (peek_after_ == SlotRing::Peek::kInFlight) [[unlikely]] {
      return Load(near);
    }
    peek_ = peek_after_;
    first_time_ = after_time_;
    if (peek_ != SlotRing::Peek::kEvent || !held_.empty()) [[unlikely]] {
      return Settle(near);
    }
    time_ = first_time_;
    peek_after_ = ring_.At(1, near, &after_time_);
    if (peek_after_ == SlotRing::Peek::kEvent && after_time_ < first_time_) [[unlikely]] {
      return Settle(near);
    }
    return SlotRing::Peek::kEvent;
  }

  bool has_held() const { return !held_.empty(); }

 private:
  // Chooses between the ring's first event and those held back.
  SlotRing::Peek Settle(uint64_t near) {
    next_is_held_ = false;
    while (peek_ == SlotRing::Peek::kEvent) {
      peek_after_ = ring_.At(1, near, &after_time_);
      if (peek_after_ != SlotRing::Peek::kEvent || after_time_ >= first_time_) break;
      Hold(ring_.Next(first_time_));
      ring_.Advance();
      first_time_ = after_time_;
    }
    time_ = first_time_;
    if (held_.empty() || peek_ == SlotRing::Peek::kInFlight) return peek_;
    if (peek_ == SlotRing::Peek::kEmpty || held_.back().time <= first_time_) {
      next_is_held_ = true;
      time_ = held_.back().time;
    }
    return SlotRing::Peek::kEvent;
  }

  void Hold(const SlotEvent& event) {
    auto place =
        std::upper_bound(held_.begin(), held_.end(), event,
                         [](const SlotEvent& a, const SlotEvent& b) { return a.time > b.time; });
    held_.insert(place, event);
  }

  SlotRing ring_;
  uint32_t cpu_;
  bool next_is_held_ = false;
  uint64_t time_ = 0;
  // Of the ring's next event, and of the one after it, which shows whether they are in order.
  SlotRing::Peek peek_ = SlotRing::Peek::kEmpty;
  SlotRing::Peek peek_after_ = SlotRing::Peek::kEmpty;
  uint64_t first_time_ = 0;
  uint64_t after_time_ = 0;
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
  // Up to here looking at all is quicker than keeping them sorted.
  static constexpr size_t kMaxScanned = 4;

  template <typename Visitor>
  bool Scan(uint64_t horizon, uint64_t near, Visitor& visit);
  template <typename Visitor>
  bool Sift(uint64_t horizon, uint64_t near, Visitor& visit);

  static bool Later(const MergeLane* a, const MergeLane* b) {
    return a->time() > b->time();
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
  return lanes_.size() <= kMaxScanned ? Scan(horizon, near, visit) : Sift(horizon, near, visit);
}

// Which ring is next cannot be foreseen, so it is computed, not branched for.
template <typename Visitor>
bool SlotMerger::Scan(uint64_t horizon, uint64_t near, Visitor& visit) {
  constexpr uint64_t kNever = UINT64_MAX;
  std::array<uint64_t, kMaxScanned> times;
  const size_t count = lanes_.size();
  const auto time_of = [](SlotRing::Peek peek, const MergeLane& lane) {
    return peek == SlotRing::Peek::kEvent ? lane.time() : kNever;
  };
  std::array<MergeLane*, kMaxScanned> lanes;
  for (size_t i = 0; i < count; ++i) {
    lanes[i] = &lanes_[i];
    const SlotRing::Peek peek = lanes[i]->Load(near);
    if (peek == SlotRing::Peek::kInFlight) return false;
    times[i] = time_of(peek, *lanes[i]);
  }
  if (count == 0) return true;
  for (;;) {
    size_t first = 0;
    uint64_t time = times[0];
    for (size_t i = 1; i < count; ++i) {
      first = times[i] < time ? i : first;
      time = std::min(times[i], time);
    }
    if (time > horizon || time == kNever) return true;
    MergeLane& lane = *lanes[first];
    visit(lane.cpu(), lane.Next());
    const SlotRing::Peek peek = lane.Step(near);
    if (peek == SlotRing::Peek::kInFlight) [[unlikely]] {
      return false;
    }
    times[first] = time_of(peek, lane);
  }
}

template <typename Visitor>
bool SlotMerger::Sift(uint64_t horizon, uint64_t near, Visitor& visit) {
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
    if (heap_.size() > 1) turn = std::min(turn, heap_[1]->time());
    if (heap_.size() > 2) turn = std::min(turn, heap_[2]->time());
    if (lane->time() > horizon) return true;
    SlotRing::Peek peek;
    do {
      visit(lane->cpu(), lane->Next());
      peek = lane->Step(near);
    } while (peek == SlotRing::Peek::kEvent && lane->time() <= turn);
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
