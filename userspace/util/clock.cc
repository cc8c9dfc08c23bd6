// SPDX-License-Identifier: BSD-2-Clause
#include "util/clock.h"

#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace util {
namespace {

int64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Brackets a reading of `clock` with two of CLOCK_BOOTTIME and keeps the best of a few.
int64_t AheadOfBoottime(clockid_t clock) {
  int64_t best = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 10; ++i) {
    const int64_t before = Now(CLOCK_BOOTTIME);
    const int64_t between = Now(clock);
    const int64_t after = Now(CLOCK_BOOTTIME);
    if (after - before >= least) continue;
    least = after - before;
    best = between - (before + after) / 2;
  }
  return best;
}

// The offset of this time namespace (time_namespaces(7)) for a clock.
int64_t NamespaceOffset(const std::string& clock) {
  std::ifstream file("/proc/self/timens_offsets");
  std::string name;
  int64_t seconds = 0;
  int64_t ns = 0;
  while (file >> name >> seconds >> ns) {
    if (name == clock) return seconds * 1'000'000'000 + ns;
  }
  return 0;
}

}  // namespace

uint64_t MonotonicNow() { return static_cast<uint64_t>(Now(CLOCK_MONOTONIC)); }

uint64_t KernelMonotonicAhead() { return static_cast<uint64_t>(-NamespaceOffset("monotonic")); }

ClockOffsets MeasureClockOffsets() {
  const int64_t boottime = NamespaceOffset("boottime");
  return {AheadOfBoottime(CLOCK_REALTIME) + boottime,
          AheadOfBoottime(CLOCK_MONOTONIC) + boottime - NamespaceOffset("monotonic")};
}

}  // namespace util
