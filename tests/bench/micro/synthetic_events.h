// SPDX-License-Identifier: BSD-2-Clause
// Generates consistent streams of scheduler events in memory, in the format of the BPF programs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture/rings/slot_merger.h"
#include "fxt_record/event.h"

namespace bench {

// Thread i has the tid kFirstTid + i.
inline constexpr uint32_t kFirstTid = 1000;

struct StreamOptions {
  uint32_t cpus = 2;
  uint32_t threads = 4;  // at least twice as many as CPUs
  uint64_t events = 1 << 18;
  // Mean time between two events of one CPU, ns.
  uint64_t interval = 700;
  bool wakeups = true;
};

// The ring of one CPU with all its events.
class SyntheticRings {
 public:
  explicit SyntheticRings(uint32_t cpus, unsigned shift);

  void Put(uint32_t cpu, uint64_t time, fxr_slot_type type, uint64_t body);
  // Returns a merger at the begin of the rings.
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

// Each CPU has its own threads, which pass a byte around: a wakeup, then a switch.
SyntheticRings MakePingPong(const StreamOptions& options);
// Threads wake each other on any CPU, and time slices end at times.
SyntheticRings MakeMessaging(const StreamOptions& options);
// Only switches, in random order of CPUs: the worst case of the merge.
SyntheticRings MakeShuffled(uint32_t cpus, uint64_t events);

}  // namespace bench
