// SPDX-License-Identifier: BSD-2-Clause
// The states that lanes of CPUs and threads show.
#pragma once

#include <cstdint>

#include "facts/timeline/fact.h"

namespace view {

// The numbers are part of the tile format (tile.h) and of web/states.js.
enum class LaneState : uint8_t {
  kAbsent = 0,  // not created yet, or gone
  kRun,
  kWakeup,     // runnable since a wakeup
  kPreempted,  // runnable since it was preempted
  kSleep,
  kBlocked,
  kStopped,
  kThrottled,
  kUnknown,
  kIdle,  // of a CPU
};
// The number of states from kRun to kUnknown, which summaries count.
inline constexpr uint32_t kCountedStates = 8;

constexpr LaneState LaneStateOf(facts::WaitKind kind) {
  switch (kind) {
    case facts::WaitKind::kAbsent:
      return LaneState::kAbsent;
    case facts::WaitKind::kWakeup:
      return LaneState::kWakeup;
    case facts::WaitKind::kPreempted:
      return LaneState::kPreempted;
    case facts::WaitKind::kSleep:
      return LaneState::kSleep;
    case facts::WaitKind::kBlocked:
      return LaneState::kBlocked;
    case facts::WaitKind::kStopped:
      return LaneState::kStopped;
    case facts::WaitKind::kThrottled:
      return LaneState::kThrottled;
    case facts::WaitKind::kUnknown:
      break;
  }
  return LaneState::kUnknown;
}

}  // namespace view
