// SPDX-License-Identifier: BSD-2-Clause
// Counts the raw events by outcome: recorded, or left out for a reason.
#pragma once

#include <array>
#include <cstdint>

#include "fxt_record/event.h"
#include "schema/stack_end_counts.h"

namespace translate {

struct TranslationStats {
  // Raw events by category, without FXR_SLOT_LOSS.
  std::array<uint64_t, FXR_CATEGORY_COUNTS> events{};
  // Events with a record of their own in the file.
  std::array<uint64_t, FXR_CATEGORY_COUNTS> recorded{};

  // Events without a record of their own, by reason.
  uint64_t wakeups_of_running = 0;  // the thread was on a CPU
  uint64_t unmatched_ends = 0;      // the begin was before the capture
  uint64_t no_request = 0;          // events of connections that begin or end no request
  // Task events that only name a task: category `task` is off, the filter excludes the task, or the
  // event is from before the start.
  uint64_t identity_only = 0;
  uint64_t unreadable = 0;  // of an unknown type or size

  // Records by kind, for the summary.
  uint64_t switches = 0;
  uint64_t wakeups = 0;
  uint64_t migrations = 0;
  // Switch records that close a gap and correspond to no event.
  uint64_t gap_switches = 0;
  // Bytes of the switch records and of the records they require: thread, string, state.
  uint64_t switch_bytes = 0;
  // Bytes of the wakeup records.
  uint64_t wakeup_bytes = 0;
  // Switches that the kernel did not report.
  uint64_t unseen_switches = 0;
  // Events that arrived out of order and were moved to the latest time.
  uint64_t late = 0;

  // Stacks with a user half.
  schema::StackEndCounts stack_ends;

  // Arguments of probes whose memory was not resident.
  uint64_t unread_arguments = 0;

  // Loss slots.
  uint64_t loss_slots = 0;
  // Lost events by category, summed over CPUs.
  std::array<uint64_t, FXR_CATEGORY_COUNTS> lost{};

  uint64_t suppressed() const {
    return wakeups_of_running + unmatched_ends + no_request + identity_only + unreadable;
  }
};

}  // namespace translate
