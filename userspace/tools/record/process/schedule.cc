// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/schedule.h"

#include <sched.h>

namespace tools {

// Being late, not being slow, is what loses events: other threads must not keep the recorder
// waiting.
bool BecomeRealtime() {
  constexpr int kDeadline = 6;  // linux/sched.h: SCHED_DEADLINE
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  if (policy == kDeadline) return true;
  sched_param parameters{};
  const bool given = policy == SCHED_FIFO || policy == SCHED_RR;
  if (!given || sched_getparam(0, &parameters) != 0) parameters.sched_priority = 1;
  return sched_setscheduler(0, (given ? policy : SCHED_FIFO) | SCHED_RESET_ON_FORK, &parameters) ==
             0 ||
         given;
}

void BecomeOrdinary() {
  const sched_param parameters{};
  sched_setscheduler(0, SCHED_OTHER, &parameters);
}

}  // namespace tools
