// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/share.h"

namespace facts {

Share ShareOf(const Wait& wait) {
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
    case WaitKind::kUnknown:
    case WaitKind::kAbsent:
      break;
  }
  return Share::kUnknown;
}

}  // namespace facts
