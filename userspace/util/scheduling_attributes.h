// SPDX-License-Identifier: BSD-2-Clause
// sched_getattr(2) and sched_setattr(2).
#pragma once

#include <cstdint>

namespace util {

// The kernel's struct sched_attr in its first published size: glibc has no such type before 2.41.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};
static_assert(sizeof(SchedulingAttributes) == 48);

}  // namespace util
