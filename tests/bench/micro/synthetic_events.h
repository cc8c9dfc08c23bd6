// SPDX-License-Identifier: BSD-2-Clause
// Streams of scheduler events as the BPF programs would write them, in rings in plain memory. Who
// runs where, who is woken by whom and when follow from each other as on a real machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/rings/slot_merger.h"
#include "fxt_record/event.h"

namespace bench {

// Tids begin here; tid kFirstTid + i is thread i.
inline constexpr uint32_t kFirstTid = 1000;

struct StreamOptions {
  uint32_t cpus = 2;
  uint32_t threads = 4;  // at least twice as many as CPUs
  uint64_t events = 1 << 18;
  // Mean time between two events of one CPU, ns.
  uint64_t interval = 700;
  bool wakeups = true;
};

// One CPU's ring, all of whose events are in it from the start.
class SyntheticRings {
 public:
  explicit SyntheticRings(uint32_t cpus, unsigned shift);

  void Put(uint32_t cpu, uint64_t time, fxr_slot_type type, uint64_t body);
  // A merger that has read nothing yet.
  capture::SlotMerger MakeMerger();

  uint64_t events() const { return events_; }
  uint64_t last_time() const { return last_time_; }

 private:
  struct Ring {
    fxr_ring_control control{};
    std::vector<fxr_slot> slots;
  };
  unsigned shift_;
  std::vector<std::unique_ptr<Ring>> rings_;
  uint64_t events_ = 0;
  uint64_t last_time_ = 0;
};

// Each CPU has an own set of threads that hand a byte around: a wakeup, then a switch.
SyntheticRings MakePingPong(const StreamOptions& options);
// Every thread wakes any other, which is queued on any CPU; time slices end now and then.
SyntheticRings MakeMessaging(const StreamOptions& options);
// Switches only, whose CPUs follow each other in no order: the merge's worst case.
SyntheticRings MakeShuffled(uint32_t cpus, uint64_t events);

}  // namespace bench
