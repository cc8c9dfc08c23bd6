// SPDX-License-Identifier: BSD-2-Clause
// What became of the raw events: each one is a record, or was left out for a reason that is
// counted.
#pragma once

#include <array>
#include <cstdint>

#include "fxt_record/event.h"

namespace translate {

struct TranslationStats {
  // Raw events taken in, by category; FXR_SLOT_LOSS is none.
  std::array<uint64_t, FXR_CATEGORY_COUNTS> events{};
  // Of those, the ones that have a record of their own in the file.
  std::array<uint64_t, FXR_CATEGORY_COUNTS> recorded{};

  // And the others.
  uint64_t wakeups_of_running = 0;  // the thread was on a CPU
  uint64_t unmatched_ends = 0;      // exit of a call or handler that was entered before the capture
  // Task events that name a task and no more: category `task` is off, or the task was not asked
  // for, or it was before the start.
  uint64_t identity_only = 0;
  uint64_t unreadable = 0;  // of a type or size that is not ours

  // Kinds of records, for the summary.
  uint64_t switches = 0;
  uint64_t wakeups = 0;
  uint64_t migrations = 0;
  // Switch records that close a gap and stand for no event.
  uint64_t gap_switches = 0;
  // Bytes of the switches' records and of what they needed: thread and string records, names,
  // states.
  uint64_t switch_bytes = 0;
  // Bytes of the file that wakeups took.
  uint64_t wakeup_bytes = 0;
  // Places where the kernel did not show a switch.
  uint64_t unseen_switches = 0;
  // Events that came behind the stream's time and were moved up to it.
  uint64_t late = 0;

  // Slots that stand for no event but tell of a loss.
  uint64_t loss_slots = 0;
  // Lost in the kernel as told by the rings, by CPU sum and category.
  std::array<uint64_t, FXR_CATEGORY_COUNTS> lost{};

  uint64_t suppressed() const {
    return wakeups_of_running + unmatched_ends + identity_only + unreadable;
  }
};

}  // namespace translate
