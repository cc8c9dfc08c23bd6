// SPDX-License-Identifier: BSD-2-Clause
// A copy of the slot rings at one moment, taken while the kernel writes them. Any thread may read
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "capture/rings/head_history.h"
#include "capture/rings/slot_merger.h"
#include "capture/rings/slot_ring.h"
#include "util/result.h"

namespace capture {

struct RingImageOptions {
  // Read before the copy, ns of CLOCK_MONOTONIC: a slot claimed later has a later time.
  uint64_t now = 0;
  // Slots before this time may be left out, except a few thousand per ring.
  uint64_t since = 0;
  // First valid slot by ring; empty: 0.
  std::vector<uint64_t> floors = {};
  // Called about once per megabyte.
  std::function<void()> between = {};
};

class RingImage {
 public:
  // `rings` have one size. An error if memory is short.
  static util::Result<RingImage> Copy(std::span<const SlotRing> rings, const HeadHistory& history,
                                      const RingImageOptions& options);

  // All slots of all rings from this time on are in the image, ns; 0: all slots ever.
  uint64_t complete_from() const { return complete_from_; }
  uint64_t slots() const;
  uint32_t rings() const { return static_cast<uint32_t>(rings_.size()); }

  // Calls visit(cpu, SlotEvent) for each slot up to and including `until`, in time order, and gives
  // back the memory of the slots meanwhile. Call once.
  template <typename Visitor>
  void ForEach(uint64_t until, Visitor visit);

 private:
  struct Unmap {
    size_t bytes;
    void operator()(fxr_slot* slots) const;
  };
  struct Ring {
    std::unique_ptr<fxr_slot, Unmap> slots;  // laid out as in the ring
    uint64_t begin = 0;                      // position of the first slot
    uint64_t end = 0;
    uint64_t released = 0;  // position: the slots before are no longer there
  };
  // Visited slots between two calls of ReleaseBefore.
  static constexpr uint64_t kReleased = uint64_t{1} << 16;

  RingImage() = default;
  // Gives back the memory of the slots before `position`.
  void ReleaseBefore(uint64_t position, Ring& ring) const;
  void CopyRing(size_t index, const SlotRing& ring, const RingImageOptions& options);
  void FinishRing(size_t index, const SlotRing& ring, const std::vector<uint64_t>& unfinished);
  uint64_t FirstSince(size_t index, const SlotRing& ring, const RingImageOptions& options) const;

  unsigned shift_ = 0;
  uint64_t now_ = 0;
  uint64_t complete_from_ = 0;
  std::vector<Ring> rings_;
  HeadHistory history_;
};

template <typename Visitor>
void RingImage::ForEach(uint64_t until, Visitor visit) {
  std::vector<fxr_ring_control> controls(rings_.size());
  SlotMerger merger;
  for (size_t i = 0; i < rings_.size(); ++i) {
    SlotRing ring(&controls[i], rings_[i].slots.get(), shift_);
    ring.SkipTo(rings_[i].begin);
    merger.AddRing(ring, static_cast<uint32_t>(i));
  }
  uint64_t visited = 0;
  const auto visit_and_release = [&](uint32_t cpu, const SlotEvent& event) {
    visit(cpu, event);
    if (++visited % kReleased != 0) [[likely]]
      return;
    for (size_t i = 0; i < rings_.size(); ++i) ReleaseBefore(controls[i].tail, rings_[i]);
  };
  // Within one interval of the history the low bits of their times order the slots.
  for (const HeadHistory::Sample& sample : history_.samples()) {
    for (size_t i = 0; i < rings_.size(); ++i) {
      controls[i].head = std::clamp(sample.heads[i], rings_[i].begin, rings_[i].end);
    }
    merger.Drain(std::min(sample.time, until), sample.time, visit_and_release);
  }
  for (size_t i = 0; i < rings_.size(); ++i) controls[i].head = rings_[i].end;
  merger.Drain(until, now_, visit_and_release);
}

}  // namespace capture
