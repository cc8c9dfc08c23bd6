// SPDX-License-Identifier: BSD-2-Clause
#include "session/process_time.h"

#include <time.h>

namespace session {

uint64_t ProcessTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace session
