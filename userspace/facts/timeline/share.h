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
  kUnknown,  // where a loss, an unseen switch or a missing wakeup leaves it open
  kAbsent,   // not made yet, or gone
};
inline constexpr size_t kShares = 8;

// The runs and waits of a thread, each in its share, add up to the window.
constexpr Share ShareOf(const Run&) { return Share::kRunning; }
inline Share ShareOf(const Wait& wait) {
  // A thread that is made or gone is not woken meanwhile, whatever was lost.
  if (wait.kind == WaitKind::kAbsent) return Share::kAbsent;
  const bool end_known = wait.ended == Bound::kSeen || wait.ended == Bound::kFileEdge;
  if (wait.touches_loss || !end_known) return Share::kUnknown;
  // By WaitKind. Looked up: which kind comes next is anybody's guess, and a wrong one costs more
  // than all else here.
  constexpr std::array<Share, 7> kShareOf = {
      Share::kUnknown,  Share::kAbsent,  Share::kRunnableWakeup, Share::kRunnablePreempted,
      Share::kSleeping, Share::kBlocked, Share::kStopped};
  static_assert(static_cast<size_t>(WaitKind::kStopped) + 1 == kShareOf.size() &&
                kShareOf[static_cast<size_t>(WaitKind::kPreempted)] == Share::kRunnablePreempted &&
                kShareOf[static_cast<size_t>(WaitKind::kBlocked)] == Share::kBlocked);
  return kShareOf[static_cast<size_t>(wait.kind)];
}

}  // namespace facts
