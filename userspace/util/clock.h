// SPDX-License-Identifier: BSD-2-Clause
// This process's clock.
#pragma once

#include <cstdint>

namespace util {

// ns of CLOCK_MONOTONIC, for how long something takes: in a time namespace it is not that of the
// kernel, which events are stamped with (capture/bpf/kernel_clock.h).
uint64_t MonotonicNow();

}  // namespace util
