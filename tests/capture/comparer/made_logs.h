// SPDX-License-Identifier: BSD-2-Clause
// Switches as ftrace has them, and the same as a recording has them.
#pragma once

#include <cstdint>

#include "capture/ftrace/fxt_log.h"
#include "capture/ftrace/switch_log.h"

namespace truth {

// From one switch to the next.
inline constexpr uint64_t kStepNs = 1'000'000;

// The kernel's record: one CPU that goes 100 -> idle -> 101 -> idle -> 100, and so on.
SwitchLog Reference(int switches);

// The same as a recording has it.
FxtLog Recording(const SwitchLog& reference);

}  // namespace truth
