// SPDX-License-Identifier: BSD-2-Clause
// The parts that a thread's time is divided into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "facts/timeline/fact.h"

namespace facts {

enum class Share : uint8_t {
  kRunning,
  kRunnableWakeup,     // waits for a CPU since a wakeup
  kRunnablePreempted,  // waits for a CPU since it left one runnable
  kSleeping,
  kBlocked,
  kStopped,
  kThrottled,  // runnable, and the quota of its cgroup is used up
  kUnknown,    // after a loss, an unseen switch or a missing wakeup
  kAbsent,     // not created yet, or exited
};
inline constexpr size_t kShares = 9;
// Their names in files.
inline constexpr std::array<const char*, kShares> kShareNames = {
    "running",   "runnable_wakeup", "runnable_preempted",
    "sleeping",  "blocked",         "stopped",
    "throttled", "unknown",         "absent"};

// The runs and waits of a thread, each in its share, add up to the window.
constexpr Share ShareOf(const Run&) { return Share::kRunning; }
inline Share ShareOf(const Wait& wait) {
  // A thread that is made or gone is not woken meanwhile, whatever was lost.
  if (wait.kind == WaitKind::kAbsent) return Share::kAbsent;
  const bool end_known = wait.ended == Bound::kSeen || wait.ended == Bound::kFileEdge;
  if (wait.touches_loss || !end_known) return Share::kUnknown;
  switch (wait.kind) {
    case WaitKind::kWakeup:
      return Share::kRunnableWakeup;
    case WaitKind::kPreempted:
      return Share::kRunnablePreempted;
    case WaitKind::kSleep:
      return Share::kSleeping;
    case WaitKind::kBlocked:
      return Share::kBlocked;
    case WaitKind::kStopped:
      return Share::kStopped;
    case WaitKind::kThrottled:
      return Share::kThrottled;
    case WaitKind::kUnknown:
    case WaitKind::kAbsent:
      break;
  }
  return Share::kUnknown;
}

// Why the time of a wait in kUnknown is not known.
enum class UnknownCause : uint8_t {
  kBeforeFirst,  // the file has nothing of the thread yet: most slept since before it begins
  kLoss,         // events were lost
  kHidden,       // a switch or a wakeup is missing that the kernel did not show
};
inline constexpr size_t kUnknownCauses = 3;
// Their names in files.
inline constexpr std::array<const char*, kUnknownCauses> kUnknownCauseNames = {
    "before_first_event", "lost_events", "hidden_switch"};

constexpr UnknownCause UnknownCauseOf(const Wait& wait) {
  if (wait.touches_loss || wait.began == Bound::kLoss || wait.ended == Bound::kLoss) {
    return UnknownCause::kLoss;
  }
  const bool is_first = wait.kind == WaitKind::kUnknown && wait.began == Bound::kFileEdge;
  return is_first ? UnknownCause::kBeforeFirst : UnknownCause::kHidden;
}

}  // namespace facts
