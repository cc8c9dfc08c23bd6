// SPDX-License-Identifier: BSD-2-Clause
// The parts that a thread's time is divided into.
#pragma once

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
  kUnknown,  // where a loss, an unseen switch or a missing wakeup leaves it open
  kAbsent,   // not made yet, or gone
};
inline constexpr size_t kShares = 8;

// The runs and waits of a thread, each in its share, add up to the window.
constexpr Share ShareOf(const Run&) { return Share::kRunning; }
Share ShareOf(const Wait& wait);

}  // namespace facts
