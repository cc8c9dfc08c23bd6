// SPDX-License-Identifier: BSD-2-Clause
// The clocks of a recording.
#pragma once

#include <cstdint>

namespace util {

// ns of CLOCK_MONOTONIC, which the programs stamp events with.
uint64_t MonotonicNow();
// ns of CLOCK_BOOTTIME, the clock of the files.
uint64_t BoottimeNow();
// CLOCK_BOOTTIME minus CLOCK_MONOTONIC, ns: the time the machine was suspended. The best of
// `attempts` readings; each is off by no more than half the time it took.
int64_t BoottimeOffset(int attempts);

}  // namespace util
