// SPDX-License-Identifier: BSD-2-Clause
// What a comparison of two records of the same seconds came to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/ftrace/blind_spots.h"

namespace truth {

struct CompareOptions {
  Window window;
  BlindSpots blind;
  uint64_t tolerance_ns = 20'000;
  // An announced rename is done within this, unless whoever does it is off its CPU.
  uint64_t rename_takes_ns = 100'000;
  size_t examples = 12;  // how many differences are spelled out
};

struct CpuComparison {
  uint64_t reference = 0;  // switches of the reference within the window
  uint64_t matched = 0;

  uint64_t missing = 0;  // the reference has it, the recording does not
  uint64_t extra = 0;    // the reverse
  uint64_t late = 0;     // times further apart than the tolerance
  uint64_t wrong_state = 0;
  uint64_t wrong_priority = 0;
  uint64_t wrong_name = 0;
  uint64_t reference_gaps = 0;  // the reference contradicts itself, outside of blind spots
  uint64_t recorded_gaps = 0;   // the recording does, outside of blind spots and declared loss
  uint64_t unmarked_gaps = 0;   // gaps without an unseen_switch mark, or marks without a gap
  uint64_t declared_lost = 0;   // what the recording says it lost

  // Counted apart.
  uint64_t blind_init = 0;  // gaps of the recording after a switch to PID 1
  uint64_t blind_init_reference = 0;
  uint64_t blind_idle = 0;            // switches out of idle which only the recording has
  uint64_t blind_idle_reference = 0;  // gaps that these explain
  uint64_t blind_children = 0;  // switches of PID 1's newborn children which only the recording has
  uint64_t blind_children_names = 0;  // whose name nobody was told
  uint64_t pauses = 0;     // late, and the kernel's second stamp shows that the machine paused
  uint64_t takeovers = 0;  // a task goes on under another id (exec beside the leader)
  uint64_t offline = 0;    // gaps of both: the CPU was offline in between
  uint64_t renames_in_flight = 0;  // announced and not yet done when the switch happened

  uint64_t differences() const {
    return missing + extra + late + wrong_state + wrong_priority + wrong_name + reference_gaps +
           recorded_gaps + unmarked_gaps;
  }
  void Add(const CpuComparison& other);
};

struct Comparison {
  std::vector<CpuComparison> cpus;
  CpuComparison total;
  // Recorded minus reference time of matched switches, of both signs.
  int64_t least_delta_ns = 0, most_delta_ns = 0;
  // How many matched within 1, 2, 5, 10, 20, 50, 100 microseconds, 1 ms, and beyond.
  std::array<uint64_t, 9> delta_histogram{};
  void NoteDelta(int64_t delta_ns);    // of one matched switch
  uint64_t reused_tids = 0;            // task ids that two tasks had within the window
  uint64_t confused_incarnations = 0;  // of these, ones the recording does not tell apart
  std::vector<std::string> examples;

  bool exact() const { return total.differences() == 0 && confused_incarnations == 0; }
  std::string Describe(const CompareOptions& options) const;
};

}  // namespace truth
