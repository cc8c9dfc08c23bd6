// SPDX-License-Identifier: BSD-2-Clause
// The busiest and the most delayed groups of threads at this moment.
#pragma once

#include <cstdint>
#include <string>

#include "control/client/client.h"
#include "measure/capture.h"
#include "util/result.h"

namespace tools {

// Takes a snapshot of the last `span` ns of a buffered session into memory, and measures it as
// `fxt report` does.
util::Result<measure::Capture> MeasureNow(control::Client& client, uint64_t span);

// Lines with the rates of switches, wakeups and migrations, the groups with the most CPU time, and
// those with the longest wakeup latencies.
std::string BusiestLines(const measure::Capture& capture);

}  // namespace tools
