// SPDX-License-Identifier: BSD-2-Clause
// Merges the slot rings of all CPUs into one stream in time order. The cost per event is
// logarithmic in the number of CPUs with events, and one comparison while events of one CPU follow
// each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "capture/rings/merge_lane.h"
#include "capture/rings/slot_ring.h"

namespace capture {

class SlotMerger {
 public:
  // The visitor receives `cpu` with each event of the ring.
  void AddRing(SlotRing ring, uint32_t cpu) { lanes_.emplace_back(ring, cpu); }

  size_t ring_count() const { return lanes_.size(); }
  const SlotRing& ring(size_t index) const { return lanes_[index].ring(); }

  // Continues at this event of the ring; earlier ones are not delivered.
  void SkipTo(size_t index, uint64_t position) { lanes_[index].SkipTo(position); }

  // Delivers events up to and including `horizon` to `visit(cpu, event)`, in time order. The
  // horizon is a clock reading made before this call: events claimed after the heads are read are
  // later. Returns false if an uncommitted event stopped it; the next call continues there.
  template <typename Visitor>
  bool Drain(uint64_t horizon, uint64_t near, Visitor&& visit) {
    LoadHeads();
    return Deliver(horizon, near, visit);
  }

  // The two halves of Drain, for a caller that merges another stream.
  void LoadHeads() {
    for (MergeLane& lane : lanes_) lane.ring().LoadHead();
  }
  template <typename Visitor>
  bool Deliver(uint64_t horizon, uint64_t near, Visitor&& visit);

  // Frees the slots of delivered events for the producers.
  void Release() {
    for (MergeLane& lane : lanes_) lane.Release();
  }

 private:
  // Up to here a linear scan is faster than a sorted order.
  static constexpr size_t kMaxScanned = 4;

  // `kLanes` is at least the number of lanes.
  template <size_t kLanes, typename Visitor>
  bool Scan(uint64_t horizon, uint64_t near, Visitor& visit);
  template <typename Visitor>
  bool Sift(uint64_t horizon, uint64_t near, Visitor& visit);

  static bool Later(const MergeLane* a, const MergeLane* b) { return a->time() > b->time(); }
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
  if (lanes_.size() <= 1) return Scan<1>(horizon, near, visit);
  if (lanes_.size() <= 2) return Scan<2>(horizon, near, visit);
  if (lanes_.size() <= kMaxScanned) return Scan<kMaxScanned>(horizon, near, visit);
  return Sift(horizon, near, visit);
}

// The next ring is unpredictable, so it is computed without branches.
template <size_t kLanes, typename Visitor>
bool SlotMerger::Scan(uint64_t horizon, uint64_t near, Visitor& visit) {
  constexpr uint64_t kNever = UINT64_MAX;
  horizon = std::min(horizon, kNever - 1);
  std::array<uint64_t, kLanes> times;
  times.fill(kNever);
  const auto time_of = [](SlotRing::Peek peek, const MergeLane& lane) {
    return peek == SlotRing::Peek::kEvent ? lane.time() : kNever;
  };
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const SlotRing::Peek peek = lanes_[i].Load(near);
    if (peek == SlotRing::Peek::kInFlight) return false;
    times[i] = time_of(peek, lanes_[i]);
  }
  MergeLane* const lanes = lanes_.data();
  for (;;) {
    size_t first = 0;
    uint64_t time = times[0];
    for (size_t i = 1; i < kLanes; ++i) {
      first = times[i] < time ? i : first;
      time = std::min(times[i], time);
    }
    if (time > horizon) return true;
    // Events of one CPU often follow each other.
    uint64_t turn = horizon;
    for (size_t i = 0; i < kLanes; ++i) turn = std::min(turn, i == first ? kNever : times[i]);
    MergeLane& lane = lanes[first];
    SlotRing::Peek peek;
    do {
      visit(lane.cpu(), lane.Next());
      peek = lane.Step(near);
    } while (peek == SlotRing::Peek::kEvent && lane.time() <= turn);
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
    // The time until which this ring remains the earliest.
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
