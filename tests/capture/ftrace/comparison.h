// SPDX-License-Identifier: BSD-2-Clause
// The result of comparing two records of the same seconds.
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
  // A rename is complete within this time after its event, unless its author leaves the CPU.
  uint64_t rename_takes_ns = 100'000;
  size_t examples = 12;  // the number of printed differences
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
  uint64_t reference_gaps = 0;  // gaps of the reference outside of blind spots
  uint64_t recorded_gaps = 0;   // gaps of the recording outside of blind spots and declared losses
  uint64_t unmarked_gaps = 0;   // gaps without an unseen_switch mark, or marks without a gap
  uint64_t declared_lost = 0;   // losses that the recording declares

  // Counted separately.
  uint64_t blind_init = 0;  // gaps of the recording after a switch to PID 1
  uint64_t blind_init_reference = 0;
  uint64_t blind_idle = 0;            // switches out of idle which only the recording has
  uint64_t blind_idle_reference = 0;  // gaps that these explain
  uint64_t blind_children = 0;  // switches of PID 1's new children which only the recording has
  uint64_t blind_children_names = 0;  // of these, with a name without an event
  uint64_t pauses = 0;                // late, but the second stamp shows a pause of the machine
  uint64_t takeovers = 0;             // a task continues under another id (exec of a thread)
  uint64_t offline = 0;               // gaps of both: the CPU was offline in between
  uint64_t renames_in_flight = 0;     // the event precedes the switch, the change follows it

  uint64_t differences() const {
    return missing + extra + late + wrong_state + wrong_priority + wrong_name + reference_gaps +
           recorded_gaps + unmarked_gaps;
  }
  void Add(const CpuComparison& other);
};

struct Comparison {
  std::vector<CpuComparison> cpus;
  CpuComparison total;
  // The recorded time minus the reference time of matched switches.
  int64_t least_delta_ns = 0, most_delta_ns = 0;
  // The number of matches within 1, 2, 5, 10, 20, 50, 100 microseconds, 1 ms, and beyond.
  std::array<uint64_t, 9> delta_histogram{};
  void NoteDelta(int64_t delta_ns);    // of one matched switch
  uint64_t reused_tids = 0;            // thread ids of two tasks in the window
  uint64_t confused_incarnations = 0;  // of these, ids with one koid for both tasks
  std::vector<std::string> examples;

  bool exact() const { return total.differences() == 0 && confused_incarnations == 0; }
  std::string Describe(const CompareOptions& options) const;
};

}  // namespace truth
