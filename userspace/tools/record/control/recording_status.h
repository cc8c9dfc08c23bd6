// SPDX-License-Identifier: BSD-2-Clause
// What clients are told of a recording.
#pragma once

#include <cstdint>

#include "control/protocol/reply.h"
#include "session/recording.h"

namespace tools {

// What the process costs, with or without a recording.
control::Status ProcessStatus();
// That, and the recording's part; triggers and what the controller knows are left to the caller.
// `started`: when, ns of CLOCK_MONOTONIC; 0: not yet.
control::Status StatusOf(session::Recording& recording, uint64_t started);

}  // namespace tools
