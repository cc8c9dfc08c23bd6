// SPDX-License-Identifier: BSD-2-Clause
// Facts of the timeline as they count for the group of their thread.
#pragma once

#include <cstdint>

#include "facts/timeline/runnable_reasons.h"
#include "facts/timeline/share.h"
#include "facts/timeline/waits_for.h"
#include "measure/capture.h"

namespace measure {

// The known part of a length.
enum class Extent : uint8_t { kWhole, kCut, kUnknown };

// Part of a wait for a CPU: another group's threads had it.
struct Held {
  uint32_t group = kNoGroup;
  bool lower = false;  // with a lower priority
  uint64_t ns = 0;
};

// A run, wait, wakeup, fork or call of a thread, as it counts for its group. The group may be
// unknown yet.
struct CountedFact {
  static constexpr uint32_t kNoCall = UINT32_MAX;

  uint64_t begin = 0;
  uint64_t end = 0;
  fxt::Koid thread = 0;
  uint32_t cpu = 0;
  // The share that its time counts for; kAbsent: none.
  facts::Share share = facts::Share::kAbsent;
  facts::UnknownCause unknown = facts::UnknownCause::kBeforeFirst;  // of a share of kUnknown
  bool has_duration = false;
  Duration duration = Duration::kSlice;
  Extent extent = Extent::kWhole;
  uint32_t call = kNoCall;  // for a system call: the number of its name, instead of a duration

  bool voluntary = false;  // a run that ended so
  bool involuntary = false;
  bool migrated = false;  // a run on another CPU than the one before
  bool woken = false;     // a wakeup ended it
  facts::WaitsFor waits_for = facts::WaitsFor::kUnknown;  // of a sleep
  uint32_t whom =
      kNoGroup;  // of a sleep for an answer, a lock or work: the group that it waited for
  bool after_blocked = false;
  bool forked_process = false;
  bool forked_thread = false;
  uint64_t unconserved_ns = 0;
  facts::RunnableParts parts = {};  // of a wait for a CPU
  uint32_t other =
      kNoGroup;  // of a wakeup: the waker; of a wait in kRunnablePreempted: the preempting thread

  static constexpr uint32_t kNoObject = UINT32_MAX;
  uint32_t object = kNoObject;       // of a sleep: the number of its object
  uint32_t limit = facts::kNoLimit;  // of a wait in kThrottled

  uint64_t length() const { return end - begin; }
};

// Counts the note's length, whatever it is of.
inline void AddLength(Distribution& times, const CountedFact& note) {
  const uint64_t length = note.length();
  switch (note.extent) {
    case Extent::kWhole:
      times.AddWhole({note.begin, length, note.thread, note.cpu});
      break;
    case Extent::kCut:
      times.cut.Add(length);
      times.cut_ns += length;
      break;
    case Extent::kUnknown:
      ++times.unknown;
      times.unknown_ns += length;
      break;
  }
}

}  // namespace measure
