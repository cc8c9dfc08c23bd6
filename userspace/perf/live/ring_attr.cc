// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/ring_attr.h"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace perf {

perf_event_attr MakeRingAttr(size_t ring_bytes) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  attr.size = sizeof(attr);
  attr.sample_id_all = 1;
  attr.disabled = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.watermark = 1;
  attr.wakeup_watermark = static_cast<uint32_t>(std::min<size_t>(ring_bytes / 4, 1 << 30));
  return attr;
}

void AddMappings(perf_event_attr* attr) {
  attr->mmap = 1;
  attr->mmap2 = 1;
  attr->comm = 1;
  attr->comm_exec = 1;
}

}  // namespace perf
