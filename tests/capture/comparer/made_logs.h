// SPDX-License-Identifier: BSD-2-Clause
// Generated switches in the form of ftrace and in the form of a recording.
#pragma once

#include <cstdint>

#include "capture/ftrace/fxt_log.h"
#include "capture/ftrace/switch_log.h"

namespace truth {

// The time between two switches.
inline constexpr uint64_t kStepNs = 1'000'000;

// The log of ftrace: one CPU with 100 -> idle -> 101 -> idle -> 100, and so on.
SwitchLog Reference(int switches);

// The same log in the form of a recording.
FxtLog Recording(const SwitchLog& reference);

}  // namespace truth
